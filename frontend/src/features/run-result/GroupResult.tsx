import { Box, Flex, Switch, VisuallyHidden } from '@mantine/core';
import { IconCheck, IconX } from '@tabler/icons-react';
import { type ComponentType, Suspense, useDeferredValue } from 'react';
import type { GroupRankingOut, RunOut, MetricOut } from '@/api/schema';
import { Legend } from '@/components/Legend';
import { Section } from '@/components/Page';
import { LoadingState } from '@/components/States';
import ui from '@/components/ui.module.css';
import { formatValue, words } from '@/lib/format';
import { isExportedFile } from '@/lib/installation';
import { describeLoad } from '@/lib/load';
import { describeParameter } from '@/lib/parameters';
import { isolate, isVisible, toggle } from '@/lib/visible';
import { type FigureSource, legendItems } from './figures/figure-props';
import type { RunFiguresProps } from './figures/RunFigures';
import { Ranking } from './ranking/Ranking';
import classes from './RunResult.module.css';
import type { GroupContext } from './selection/group-context';
import { type Block, type Group, hasBars } from './selection/groups';
import { BaselinePicker, MetricPicker } from './selection/pickers';
import type { ResultSelection } from './selection/selection';
import { SweepFigure, SweepPicker } from './sweep/lazy';

interface GroupResultProps {
  run: RunOut;
  block: Block;
  group: Group;
  isMeasured: boolean;
  selection: ResultSelection;
  onSelect: (selection: ResultSelection) => void;
  onPick: (key: string) => void;
  context: GroupContext;
  ranking: GroupRankingOut;
  Figures: ComponentType<RunFiguresProps>;
}

/** Draws the ranking of a group and its charts; for a sweep, all values first. */
export function GroupResult(props: GroupResultProps) {
  const { run, block, group, selection, onSelect, onPick, context, ranking } = props;
  const only = selection.only ?? '';
  const source: FigureSource = {
    run,
    group: group.key,
    set: { only, baseline: selection.baseline, warm_up: selection.warm_up },
  };
  const alone = (framework: string) => onSelect({ only: isolate(only, framework) });
  const picker = (
    <MetricPicker metrics={context.metrics} metric={ranking.metric} onSelect={onSelect} />
  );
  const sweepFigure = block.sweep && (
    <SweepFigure
      source={{ ...source, set: { ...source.set, metric: ranking.metric } }}
      block={block}
      sweep={block.sweep}
      metric={ranking.metric}
      metricTitle={ranking.title}
      only={only}
    />
  );
  // The bars of one value come first, unless the figure has the bars of both values.
  const isBelow = block.sweep !== null && !hasBars(block.sweep);
  return (
    <>
      <div id="ranking" className={classes.ranking}>
        {block.sweep && (
          <>
            <VisuallyHidden component="h2">Ranking</VisuallyHidden>
            <Flex wrap="wrap" gap="8px 24px" align="flex-end" justify="space-between" mb="sm">
              {picker}
              <p className={ui.quiet}>
                {group.scenario.name}, sweep over{' '}
                {describeParameter(block.sweep.parameter).title.toLowerCase()}
              </p>
            </Flex>
            {!isBelow && sweepFigure}
            <div className={classes.value}>
              <SweepPicker block={block} sweep={block.sweep} value={group.key} onPick={onPick} />
              <p className={ui.quiet}>{describeLoad(group)}</p>
            </div>
          </>
        )}
        {!isInAnswer(run, block, selection) && (
          <p className={classes.sentence}>{ranking.sentences.join(' ')}</p>
        )}
        <Ranking source={source} group={group} ranking={ranking} only={only} onIsolate={alone}>
          {!block.sweep && (
            <>
              {picker}
              {run.purpose !== 'confirmation' && !isExportedFile() && (
                <BaselinePicker cells={group.cells} selection={selection} onSelect={onSelect} />
              )}
              <p className={ui.quiet}>
                {group.scenario.name}, {describeLoad(group)}
              </p>
            </>
          )}
        </Ranking>
        {isBelow && <Box mt="xl">{sweepFigure}</Box>}
      </div>
      <Gate run={run} metrics={context.metrics} />
      {props.isMeasured && <Charts {...props} source={source} only={only} onIsolate={alone} />}
    </>
  );
}

interface ChartsProps extends GroupResultProps {
  source: FigureSource;
  only: string;
  onIsolate: (framework: string) => void;
}

function Charts({
  source,
  group,
  only,
  selection,
  onSelect,
  onIsolate,
  context,
  Figures,
}: ChartsProps) {
  const withWarmUp = selection.warm_up !== 'no';
  // The result is drawn before the code of its charts is fetched.
  const isDrawn = useDeferredValue(true, false);
  const space = (
    <div className={classes.space}>
      <LoadingState lines={8} height={28} />
    </div>
  );
  const flip = (framework: string) => {
    const all = group.cells.map((cell) => cell.framework.slug);
    onSelect({ only: toggle(only, framework, all) });
  };
  return (
    <Section
      anchor="charts"
      title="Details and charts"
      hint="Click a name to show only that framework, its symbol to hide it."
      actions={
        <Switch
          label="Warm-up"
          checked={withWarmUp}
          onChange={(event) =>
            onSelect({ warm_up: event.currentTarget.checked ? undefined : 'no' })
          }
        />
      }
    >
      <Legend
        label="Frameworks in the charts"
        items={legendItems(group.cells)}
        only={only}
        onIsolate={onIsolate}
        onToggle={flip}
      />
      <div className={classes.charts}>
        {isDrawn ? (
          <Suspense fallback={space}>
            <Figures
              source={source}
              group={group}
              cells={group.cells.filter(({ framework }) => isVisible(only, framework.slug))}
              withWarmUp={withWarmUp}
              floor={context.floor}
            />
          </Suspense>
        ) : (
          space
        )}
      </div>
    </Section>
  );
}

/** Return whether the card at the top already describes this ranking. */
function isInAnswer(
  run: RunOut,
  block: Block,
  { metric, baseline, group }: ResultSelection,
): boolean {
  return run.blocks.length === 1 && block.sweep === null && !metric && !baseline && !group;
}

type GateCheck = NonNullable<RunOut['gate']>['checks'][number];

interface GateProps {
  run: RunOut;
  metrics: readonly MetricOut[];
}

/** Shows which limits a run meets. Draws nothing when no limit applies. */
function Gate({ run, metrics }: GateProps) {
  if (!run.gate) return null;
  const { checks, passed } = run.gate;
  const failed = checks.filter((check) => !check.passed).length;
  const hint = passed
    ? 'All limits are met.'
    : `${String(failed)} of ${String(checks.length)} limits ${failed === 1 ? 'is' : 'are'} not met.`;
  return (
    <Section title="Limits" hint={hint}>
      <ul className={ui.rows}>
        {checks.map((check) => (
          <CheckRow
            key={`${check.slo_id} ${check.cell_id}`}
            check={check}
            run={run}
            title={
              metrics.find((metric) => metric.metric === check.metric)?.title ?? words(check.metric)
            }
          />
        ))}
      </ul>
    </Section>
  );
}

function CheckRow({ check, run, title }: { check: GateCheck; run: RunOut; title: string }) {
  const cell = run.cells.find((cell) => cell.id === check.cell_id);
  const Icon = check.passed ? IconCheck : IconX;
  const side = check.direction === 'higher' ? 'at least' : 'at most';
  return (
    <li className={classes.row}>
      <span className={classes.word} data-passed={check.passed}>
        <Icon size={14} stroke={2} aria-hidden />
        {check.passed ? 'passed' : 'failed'}
      </span>
      <span>
        {cell?.framework.name} on {cell?.scenario.name}: {title}{' '}
        <strong>{formatValue(check.estimate, check.unit)}</strong>, {side}{' '}
        {formatValue(check.limit, check.unit)}
      </span>
      <span className={classes.quiet}>{check.detail}</span>
    </li>
  );
}
