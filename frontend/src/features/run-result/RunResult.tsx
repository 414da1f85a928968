import { SegmentedControl, Select, Switch } from '@mantine/core';
import { type ComponentType, Suspense } from 'react';
import type { Noise } from '@/api/hosts';
import type { GroupRanking, Run } from '@/api/runs';
import { Legend } from '@/components/Legend';
import { Section } from '@/components/Page';
import { EmptyState, ErrorState, LoadingState } from '@/components/States';
import { formatFigure } from '@/lib/format';
import { isExportedFile } from '@/lib/installation';
import { describeLoad } from '@/lib/load';
import { describeParameter } from '@/lib/parameters';
import { isolate, isVisible, toggle } from '@/lib/visible';
import { Environment } from './evidence/Environment';
import { Evidence } from './evidence/Evidence';
import { type FigureSource, legendItems } from './figures/figure-props';
import { Gate } from './evidence/Gate';
import { type GroupContext, useGroupContext } from './selection/group-context';
import { type Block, type Group, listBlocks } from './selection/groups';
import { BaselinePicker, MetricPicker } from './selection/pickers';
import type { ResultSelection } from './selection/selection';
import { Ranking } from './ranking/Ranking';
import type { RunFiguresProps } from './figures/RunFigures';
import classes from './RunResult.module.css';
import { SweepFigure, SweepPicker } from './sweep/SweepFigure';
import { TrialTable } from './evidence/TrialTable';

interface RunResultProps {
  run: Run;
  selection: ResultSelection;
  onSelect: (selection: ResultSelection) => void;
  /** Draws the charts. Its code is loaded after the result. */
  Figures: ComponentType<RunFiguresProps>;
}

/** Draws a finished run: its result, the charts and checks behind it, and its environment. */
export function RunResult({ run, selection, onSelect, Figures }: RunResultProps) {
  const blocks = listBlocks(run);
  const block =
    blocks.find(({ groups }) => groups.some((group) => group.key === selection.group)) ?? blocks[0];
  if (block === undefined) {
    return <EmptyState title="This run is empty">It has nothing to measure.</EmptyState>;
  }
  const group = block.groups.find((group) => group.key === selection.group) ?? block.groups[0];
  const pick = (key: string) => {
    onSelect({ ...selection, group: key });
  };
  return (
    <>
      {run.goal?.sentence && <p className={classes.goal}>{run.goal.sentence}</p>}
      {blocks.length > 1 && <BlockPicker blocks={blocks} value={block.key} onPick={pick} />}
      <GroupResult
        run={run}
        block={block}
        group={group}
        selection={selection}
        onSelect={onSelect}
        onPick={pick}
        Figures={Figures}
      />
    </>
  );
}

interface BlockPickerProps {
  blocks: readonly Block[];
  value: string;
  onPick: (key: string) => void;
}

const MOST_SEGMENTS = 4;

function BlockPicker({ blocks, value, onPick }: BlockPickerProps) {
  const data = blocks.map((block) => ({ value: block.key, label: block.label }));
  return (
    <div className={classes.groups}>
      {blocks.length <= MOST_SEGMENTS ? (
        <SegmentedControl aria-label="Scenario" data={data} value={value} onChange={onPick} />
      ) : (
        <Select
          aria-label="Scenario"
          data={data}
          value={value}
          allowDeselect={false}
          onChange={(key) => {
            if (key !== null) onPick(key);
          }}
        />
      )}
    </div>
  );
}

interface GroupResultProps extends RunResultProps {
  block: Block;
  group: Group;
  onPick: (key: string) => void;
}

function GroupResult(props: GroupResultProps) {
  const context = useGroupContext(props.run, props.group, props.selection);
  const { ranking, error } = context;
  if (ranking !== null) return <RankedResult {...props} context={context} ranking={ranking} />;
  return error ? <ErrorState error={error} /> : <LoadingState lines={8} height={28} />;
}

type RankedResultProps = GroupResultProps & { context: GroupContext; ranking: GroupRanking };

function RankedResult({
  run,
  block,
  group,
  selection,
  onSelect,
  onPick,
  context,
  ranking,
  Figures,
}: RankedResultProps) {
  const { metric, title } = ranking;
  const only = selection.only ?? '';
  const shown = group.cells.filter(({ framework }) => isVisible(only, framework.slug));
  const withWarmUp = selection.warm_up !== 'no';
  const source: FigureSource = {
    run,
    group: group.key,
    set: { only, baseline: selection.baseline, warm_up: selection.warm_up },
  };
  const alone = (framework: string) => {
    onSelect({ ...selection, only: isolate(only, framework) });
  };
  const flip = (framework: string) => {
    const all = group.cells.map((cell) => cell.framework.slug);
    onSelect({ ...selection, only: toggle(only, framework, all) });
  };
  const sentence = (
    <p className={classes.sentence}>
      {ranking.sentences.join(' ')}
      {describeNoise(context.noise)}
    </p>
  );
  const measured = group.cells.some((cell) => cell.trials_succeeded > 0);
  const picker = (
    <MetricPicker
      metrics={context.metrics}
      metric={metric}
      selection={selection}
      onSelect={onSelect}
    />
  );

  return (
    <>
      {!block.sweep && sentence}
      {block.sweep && (
        <>
          <div className={classes.toolbar}>
            {picker}
            <p className={classes.load}>
              {group.scenario.name}, sweep over{' '}
              {describeParameter(block.sweep.parameter).title.toLowerCase()}
            </p>
          </div>
          <SweepFigure
            source={{ ...source, set: { ...source.set, metric } }}
            block={block}
            sweep={block.sweep}
            metric={metric}
            metricTitle={title}
            only={only}
          />
          <div className={classes.value}>
            <SweepPicker block={block} sweep={block.sweep} value={group.key} onPick={onPick} />
            <p className={classes.load}>{describeLoad(group)}</p>
          </div>
          {sentence}
        </>
      )}
      <Ranking
        source={source}
        group={group}
        ranking={ranking}
        noise={context.noise}
        only={only}
        onIsolate={alone}
      >
        {!block.sweep && (
          <>
            {picker}
            {run.purpose !== 'confirmation' && !isExportedFile() && (
              <BaselinePicker cells={group.cells} selection={selection} onSelect={onSelect} />
            )}
            <p className={classes.load}>
              {group.scenario.name}, {describeLoad(group)}
            </p>
          </>
        )}
      </Ranking>
      <Gate run={run} metrics={context.metrics} />
      {measured && (
        <Section
          title="Details and charts"
          hint="Click a name to show only that framework, its symbol to hide it."
          actions={
            <Switch
              label="Warm-up"
              checked={withWarmUp}
              onChange={(event) => {
                onSelect({ ...selection, warm_up: event.currentTarget.checked ? undefined : 'no' });
              }}
            />
          }
        >
          <Legend
            label="Frameworks in the charts"
            items={legendItems(group.cells)}
            only={only}
            onIsolate={alone}
            onToggle={flip}
          />
          <div className={classes.charts}>
            <Suspense fallback={<LoadingState lines={8} height={28} />}>
              <Figures
                source={source}
                group={group}
                cells={shown}
                withWarmUp={withWarmUp}
                overhead={context.overhead}
              />
            </Suspense>
          </div>
        </Section>
      )}
      {measured && (
        <Section
          title="Evidence"
          hint="Checks before, during and after the load, warm-up, and delay of the load generator."
        >
          <Evidence run={run} cells={group.cells} />
        </Section>
      )}
      <Section
        title="Trials"
        hint="Each trial is a fresh start of the service. Listed in the order they ran."
      >
        <TrialTable run={run} cells={group.cells} />
      </Section>
      <Section title="Environment">
        <Environment run={run} />
      </Section>
    </>
  );
}

/** Return the minimum detectable difference as a sentence; empty when it is unknown. */
function describeNoise(noise: Noise | null): string {
  if (noise === null || noise.smallest_ratio <= 1) return '';
  const percent = formatFigure((noise.smallest_ratio - 1) * 100);
  return ` Differences under ${percent} % are not detectable on this host.`;
}
