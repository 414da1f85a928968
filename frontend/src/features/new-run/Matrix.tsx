import { Checkbox, TextInput, Tooltip, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import type { Framework } from '@/api/frameworks';
import type { Scenario } from '@/api/scenarios';
import { MarkedName } from '@/components/Marker';
import type { Plan, PlanCell } from '@/lib/run-plan';
import { hasCell, isImplemented, toggleCells, whyNowhere } from './matrix';
import classes from './Matrix.module.css';

interface MatrixProps {
  plan: Plan;
  onChange: (plan: Plan) => void;
  frameworks: readonly Framework[];
  scenarios: readonly Scenario[];
  hosts: readonly string[];
  problems: Record<string, string>;
  /** Only frameworks that contain this text are shown. */
  filter: string;
  onFilter: (filter: string) => void;
}

/** Grid of frameworks and scenarios. A header toggles its row or column. */
export function Matrix({
  plan,
  onChange,
  frameworks,
  scenarios,
  hosts,
  problems,
  filter,
  onFilter,
}: MatrixProps) {
  const shown = frameworks.filter((framework) =>
    `${framework.name} ${framework.language} ${framework.slug} ${framework.versions.framework}`
      .toLowerCase()
      .includes(filter.trim().toLowerCase()),
  );
  const languages = [...new Set(shown.map((framework) => framework.language))].sort();
  const able = (list: readonly Framework[], columns: readonly Scenario[]): PlanCell[] =>
    list
      .filter((framework) => whyNowhere(framework, plan.host, hosts) === null)
      .flatMap((framework) =>
        columns
          .filter((scenario) => isImplemented(framework, scenario))
          .map((scenario) => ({ framework: framework.slug, scenario: scenario.slug })),
      );
  const toggle = (cells: readonly PlanCell[]) => {
    onChange(toggleCells(plan, cells));
  };

  return (
    <>
      <TextInput
        className={classes.filter}
        aria-label="Filter frameworks"
        placeholder="Filter by framework or language"
        leftSection={<IconSearch size={16} aria-hidden />}
        value={filter}
        onChange={(event) => {
          onFilter(event.currentTarget.value);
        }}
      />
      <div className={classes.scroll}>
        <table className={classes.matrix}>
          <thead>
            <tr>
              <th scope="col" className={classes.corner}>
                Framework
              </th>
              {scenarios.map((scenario) => (
                <th key={scenario.slug} scope="col">
                  <Tooltip label={scenario.description}>
                    <UnstyledButton
                      className={classes.header}
                      aria-label={`${scenario.name}: toggle all frameworks`}
                      onClick={() => {
                        toggle(able(shown, [scenario]));
                      }}
                    >
                      {scenario.name}
                    </UnstyledButton>
                  </Tooltip>
                </th>
              ))}
            </tr>
          </thead>
          {languages.map((language) => (
            <tbody key={language}>
              <tr>
                <th colSpan={scenarios.length + 1} scope="rowgroup" className={classes.language}>
                  {language}
                </th>
              </tr>
              {shown
                .filter((framework) => framework.language === language)
                .map((framework) => (
                  <MatrixRow
                    key={framework.slug}
                    framework={framework}
                    scenarios={scenarios}
                    plan={plan}
                    reason={whyNowhere(framework, plan.host, hosts)}
                    problems={problems}
                    onToggleAll={() => {
                      toggle(able([framework], scenarios));
                    }}
                    onToggle={(scenario) => {
                      toggle([{ framework: framework.slug, scenario: scenario.slug }]);
                    }}
                  />
                ))}
            </tbody>
          ))}
        </table>
      </div>
      {shown.length === 0 && <p className={classes.none}>No framework matches “{filter}”.</p>}
    </>
  );
}

interface MatrixRowProps {
  framework: Framework;
  scenarios: readonly Scenario[];
  plan: Plan;
  /** Why none of its cells can run, shown once below its name; null if they can. */
  reason: string | null;
  problems: Record<string, string>;
  onToggleAll: () => void;
  onToggle: (scenario: Scenario) => void;
}

function MatrixRow(props: MatrixRowProps) {
  const { framework, scenarios, plan, reason, problems, onToggleAll, onToggle } = props;
  const { slug, name } = framework;
  return (
    <tr>
      <th scope="row">
        <UnstyledButton
          className={classes.header}
          aria-label={`${name}: toggle all scenarios`}
          onClick={onToggleAll}
        >
          <MarkedName name={name} colour={framework.colour} />
          <span className={classes.version}>{framework.versions.framework}</span>
        </UnstyledButton>
        {reason !== null && <p className={classes.reason}>{reason}</p>}
      </th>
      {scenarios.map((scenario) => (
        <MatrixCell
          key={scenario.slug}
          label={`${name}, ${scenario.name}`}
          checked={hasCell(plan, { framework: slug, scenario: scenario.slug })}
          missing={
            isImplemented(framework, scenario) ? null : `does not implement ${scenario.name}`
          }
          isUnable={reason !== null}
          problem={problems[`${scenario.slug}.${slug}`]}
          onToggle={() => {
            onToggle(scenario);
          }}
        />
      ))}
    </tr>
  );
}

interface MatrixCellProps {
  label: string;
  checked: boolean;
  /** Why this cell does not exist; null if it does. */
  missing: string | null;
  isUnable: boolean;
  problem: string | undefined;
  onToggle: () => void;
}

function MatrixCell({ label, checked, missing, isUnable, problem, onToggle }: MatrixCellProps) {
  // A link written by hand may select it anyway; then it can be removed.
  if (missing !== null && !checked) {
    return (
      <td className={classes.missing} title={`${label}: ${missing}`}>
        <span aria-hidden>–</span>
        <VisuallyHidden>{missing}</VisuallyHidden>
      </td>
    );
  }
  const cannot = isUnable || missing !== null;
  return (
    <td>
      <label className={classes.cell} data-checked={checked} data-unable={cannot}>
        <Checkbox
          aria-label={label}
          checked={checked}
          disabled={cannot && !checked}
          error={problem !== undefined}
          onChange={onToggle}
        />
        {missing !== null && <span className={classes.without}>{missing}</span>}
        {problem !== undefined && <span className={classes.problem}>{problem}</span>}
      </label>
    </td>
  );
}
