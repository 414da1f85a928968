import { Checkbox, TextInput, Tooltip, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import type { Framework } from '@/api/frameworks';
import type { Scenario } from '@/api/scenarios';
import type { Column } from '@/components/data-table/column';
import { DataTable } from '@/components/data-table/DataTable';
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
      <DataTable
        label="Frameworks and scenarios"
        density="flush"
        hasFixedColumn
        rows={[...shown].sort((a, b) => compareText(a.language, b.language))}
        rowKey={(framework) => framework.slug}
        groupBy={(framework) => framework.language}
        empty={
          frameworks.length === 0
            ? 'The catalogue has no frameworks.'
            : `No framework matches “${filter}”.`
        }
        columns={[
          {
            id: 'framework',
            header: <span className={classes.corner}>Framework</span>,
            isRowHeader: true,
            wraps: true,
            width: '34%',
            cell: (framework) => (
              <RowHead
                framework={framework}
                reason={whyNowhere(framework, plan.host, hosts)}
                onToggle={() => {
                  toggle(able([framework], scenarios));
                }}
              />
            ),
          },
          ...scenarios.map((scenario): Column<Framework> => ({
            id: scenario.slug,
            header: (
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
            ),
            cell: (framework) => {
              const cell = { framework: framework.slug, scenario: scenario.slug };
              return (
                <MatrixCell
                  label={`${framework.name}, ${scenario.name}`}
                  checked={hasCell(plan, cell)}
                  missing={
                    isImplemented(framework, scenario)
                      ? null
                      : `does not implement ${scenario.name}`
                  }
                  isUnable={whyNowhere(framework, plan.host, hosts) !== null}
                  problem={problems[`${scenario.slug}.${framework.slug}`]}
                  onToggle={() => {
                    toggle([cell]);
                  }}
                />
              );
            },
          })),
        ]}
      />
    </>
  );
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

interface RowHeadProps {
  framework: Framework;
  /** Why none of its cells can run; null if they can. */
  reason: string | null;
  onToggle: () => void;
}

function RowHead({ framework: { name, colour, versions }, reason, onToggle }: RowHeadProps) {
  return (
    <>
      <UnstyledButton
        className={classes.rowHeader}
        aria-label={`${name}: toggle all scenarios`}
        onClick={onToggle}
      >
        <MarkedName name={name} colour={colour} />
        <span className={classes.version}>{versions.framework}</span>
      </UnstyledButton>
      {reason !== null && <p className={classes.reason}>{reason}</p>}
    </>
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
      <div className={classes.missing} title={`${label}: ${missing}`}>
        <span aria-hidden>–</span>
        <VisuallyHidden>{missing}</VisuallyHidden>
      </div>
    );
  }
  const cannot = isUnable || missing !== null;
  return (
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
  );
}
