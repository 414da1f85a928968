import { Checkbox, TextInput, Tooltip, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import type { Framework } from '@/api/frameworks';
import type { Scenario } from '@/api/scenarios';
import { MarkedName } from '@/components/Marker';
import type { Plan, PlanCell } from '@/lib/run-plan';
import { hasCell, toggleCells, whyNot } from './matrix';
import classes from './Matrix.module.css';

interface MatrixProps {
  plan: Plan;
  onChange: (plan: Plan) => void;
  frameworks: readonly Framework[];
  scenarios: readonly Scenario[];
  hosts: readonly string[];
  problems: Record<string, string>;
  /** Frameworks are narrowed to those that hold it. */
  filter: string;
  onFilter: (filter: string) => void;
}

/** Frameworks down, scenarios across; a header toggles its row or column. */
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
  const shown = frameworks.filter((one) =>
    `${one.name} ${one.language} ${one.slug} ${one.versions.framework}`
      .toLowerCase()
      .includes(filter.trim().toLowerCase()),
  );
  const languages = [...new Set(shown.map((one) => one.language))].sort();
  const able = (list: readonly Framework[], columns: readonly Scenario[]): PlanCell[] =>
    list.flatMap((framework) =>
      columns
        .filter((scenario) => whyNot(framework, scenario, plan.host, hosts) === null)
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
                .filter((one) => one.language === language)
                .map((framework) => (
                  <tr key={framework.slug}>
                    <th scope="row">
                      <UnstyledButton
                        className={classes.header}
                        aria-label={`${framework.name}: toggle all scenarios`}
                        onClick={() => {
                          toggle(able([framework], scenarios));
                        }}
                      >
                        <MarkedName name={framework.name} colour={framework.colour} />
                        <span className={classes.version}>{framework.versions.framework}</span>
                      </UnstyledButton>
                    </th>
                    {scenarios.map((scenario) => (
                      <MatrixCell
                        key={scenario.slug}
                        label={`${framework.name}, ${scenario.name}`}
                        checked={hasCell(plan, {
                          framework: framework.slug,
                          scenario: scenario.slug,
                        })}
                        isImplemented={framework.scenarios.includes(scenario.slug)}
                        reason={whyNot(framework, scenario, plan.host, hosts)}
                        problem={problems[`${scenario.slug}.${framework.slug}`]}
                        onToggle={() => {
                          toggle([{ framework: framework.slug, scenario: scenario.slug }]);
                        }}
                      />
                    ))}
                  </tr>
                ))}
            </tbody>
          ))}
        </table>
      </div>
      {shown.length === 0 && <p className={classes.none}>No framework matches “{filter}”.</p>}
    </>
  );
}

interface MatrixCellProps {
  label: string;
  checked: boolean;
  isImplemented: boolean;
  reason: string | null;
  problem: string | undefined;
  onToggle: () => void;
}

function MatrixCell({ label, checked, isImplemented, reason, problem, onToggle }: MatrixCellProps) {
  // A link made by hand may ask for it all the same; then it can be taken out again.
  if (!isImplemented && !checked) {
    return (
      <td className={classes.missing} title={`${label}: ${reason ?? ''}`}>
        <span aria-hidden>–</span>
        <VisuallyHidden>{reason}</VisuallyHidden>
      </td>
    );
  }
  return (
    <td>
      <label className={classes.cell} data-checked={checked} data-unable={reason !== null}>
        <Checkbox
          aria-label={label}
          checked={checked}
          disabled={reason !== null && !checked}
          error={problem !== undefined}
          onChange={onToggle}
        />
        {reason !== null && <span className={classes.reason}>{reason}</span>}
        {problem !== undefined && <span className={classes.problem}>{problem}</span>}
      </label>
    </td>
  );
}
