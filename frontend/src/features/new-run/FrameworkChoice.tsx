import { Box, Button, Group, TextInput, UnstyledButton } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import type { FrameworkOut, ScenarioOut } from '@/api/schema';
import type { Column } from '@/components/data-table/column';
import { DataTable } from '@/components/data-table/DataTable';
import { MarkedName } from '@/components/Marker';
import { EmptyState } from '@/components/States';
import { Section } from '@/components/Page';
import ui from '@/components/ui.module.css';
import { formatCount, joinWords } from '@/lib/format';
import type { Plan, PlanCell } from '@/lib/run-plan';
import {
  hasCell,
  isImplemented,
  listAble,
  splitFrameworks,
  toggleCells,
  whyNowhere,
  type UnableGroup,
} from './cells';
import { ChoiceCell } from './ChoiceCell';
import classes from './FrameworkChoice.module.css';

interface FrameworkChoiceProps {
  plan: Plan;
  onChange: (plan: Plan) => void;
  frameworks: readonly FrameworkOut[];
  /** The chosen scenarios. */
  scenarios: readonly ScenarioOut[];
  hosts: readonly string[];
  problems: Record<string, string>;
  /** Only frameworks that contain this text are shown. */
  filter: string;
  onFilter: (filter: string) => void;
}

/** Lists the frameworks that can run the chosen scenarios, to tick for each scenario. */
export function FrameworkChoice(props: FrameworkChoiceProps) {
  const { plan, onChange, frameworks, scenarios, hosts, filter, onFilter } = props;
  const { able, unable } = splitFrameworks(frameworks, scenarios, plan, hosts);
  const shown = able.filter((framework) => matches(framework, filter));
  const cells = listAble(shown, scenarios, plan.host, hosts);
  const count = new Set(plan.cells.map((cell) => cell.framework)).size;
  return (
    <Section
      title="2. Frameworks"
      hint={
        scenarios.length > 1
          ? 'Each tick is one result: a framework under a scenario. A dash means that the framework does not implement the scenario.'
          : undefined
      }
    >
      {scenarios.length === 0 ? (
        <EmptyState title="No scenario chosen">
          Choose a scenario above. Then the frameworks that can run it are listed here.
        </EmptyState>
      ) : (
        <>
          <Group gap="8px 12px" mb="xs">
            <TextInput
              className={classes.filter}
              aria-label="Filter frameworks"
              placeholder="Filter by framework or language"
              leftSection={<IconSearch size={16} aria-hidden />}
              value={filter}
              onChange={(event) => onFilter(event.currentTarget.value)}
            />
            <Button
              variant="default"
              disabled={cells.length === 0}
              onClick={() => onChange(toggleCells(plan, cells))}
            >
              {cells.length > 0 && cells.every((cell) => hasCell(plan, cell))
                ? 'Clear all'
                : `Select all ${shown.length}`}
            </Button>
            <Box component="span" ml="auto" fz="xs" c="dimmed" className="figures" role="status">
              {formatCount(count, 'framework')} selected
            </Box>
          </Group>
          <Grid {...props} shown={shown} />
          <UnableFrameworks groups={unable} />
        </>
      )}
    </Section>
  );
}

function matches({ name, language, slug, versions }: FrameworkOut, filter: string): boolean {
  return `${name} ${language} ${slug} ${versions.framework}`
    .toLowerCase()
    .includes(filter.trim().toLowerCase());
}

function Grid(props: FrameworkChoiceProps & { shown: readonly FrameworkOut[] }) {
  const { plan, onChange, frameworks, scenarios, hosts, problems, filter, shown } = props;
  const toggle = (cells: readonly PlanCell[]) => onChange(toggleCells(plan, cells));
  const ableOf = (list: readonly FrameworkOut[], columns: readonly ScenarioOut[]) =>
    listAble(list, columns, plan.host, hosts);
  return (
    <DataTable
      label="Frameworks and scenarios"
      layout="cards"
      density="flush"
      hasStickyHead
      rows={[...shown].sort((a, b) => compareText(a.language, b.language))}
      rowKey={(framework) => framework.slug}
      groupBy={(framework) => framework.language}
      empty={
        frameworks.length === 0
          ? 'The catalogue has no frameworks.'
          : filter === ''
            ? 'No framework here can run the chosen scenarios.'
            : `No framework matches “${filter}”.`
      }
      columns={[
        {
          id: 'framework',
          header: (
            <Box component="span" display="block" py="xs">
              Framework
            </Box>
          ),
          isRowHeader: true,
          wraps: true,
          width: scenarios.length > 1 ? '34%' : '50%',
          card: scenarios.length > 1 ? 'line' : 'title',
          cell: (framework) => (
            <RowHead
              framework={framework}
              isAlone={scenarios.length === 1}
              reason={whyNowhere(framework, plan.host, hosts)}
              onToggle={() => toggle(ableOf([framework], scenarios))}
            />
          ),
        },
        ...scenarios.map((scenario): Column<FrameworkOut> => ({
          id: scenario.slug,
          header: (
            <UnstyledButton
              className={classes.header}
              aria-label={`${scenario.name}: toggle all frameworks`}
              onClick={() => toggle(ableOf(shown, [scenario]))}
            >
              {scenario.name}
            </UnstyledButton>
          ),
          card: 'end',
          cell: (framework) => {
            const cell = { framework: framework.slug, scenario: scenario.slug };
            return (
              <ChoiceCell
                framework={framework.name}
                scenario={scenario.name}
                isAlone={scenarios.length === 1}
                checked={hasCell(plan, cell)}
                isImplemented={isImplemented(framework, scenario)}
                isUnable={whyNowhere(framework, plan.host, hosts) !== null}
                problem={problems[`${scenario.slug}.${framework.slug}`]}
                onToggle={() => toggle([cell])}
              />
            );
          },
        })),
      ]}
    />
  );
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

interface RowHeadProps {
  framework: FrameworkOut;
  /** Whether its row has one checkbox, which is its only tab stop. */
  isAlone: boolean;
  /** Why none of its cells can run; null if they can. */
  reason: string | null;
  onToggle: () => void;
}

function RowHead({ framework, isAlone, reason, onToggle }: RowHeadProps) {
  const { name, colour, versions } = framework;
  return (
    <>
      <UnstyledButton
        className={classes.rowHeader}
        aria-label={`${name}: toggle all scenarios`}
        tabIndex={isAlone ? -1 : undefined}
        onClick={onToggle}
      >
        <MarkedName name={name} colour={colour} />
        <span className={ui.small}>{versions.framework}</span>
      </UnstyledButton>
      {reason !== null && (
        <Box component="p" m={0} maw="48ch" p="0 12px 8px 0" fw={400} c="var(--tacho-warn)">
          {reason}
        </Box>
      )}
    </>
  );
}

/** Folds the frameworks that cannot run into one line; unfolded, they are listed with the reason. */
function UnableFrameworks({ groups }: { groups: readonly UnableGroup[] }) {
  const [first, ...others] = groups;
  if (first === undefined) return null;
  const count = groups.reduce((sum, { frameworks }) => sum + frameworks.length, 0);
  return (
    <details className={classes.unable}>
      <summary>
        {formatCount(count, 'framework')} left out
        {others.length === 0 ? `: ${first.reason}` : ` for ${groups.length} reasons`}
      </summary>
      <ul>
        {groups.map(({ reason, frameworks }) => (
          <li key={reason}>
            {joinWords(frameworks.map(({ name }) => name))}: {reason}.
          </li>
        ))}
      </ul>
    </details>
  );
}
