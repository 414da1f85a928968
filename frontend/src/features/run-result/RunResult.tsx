import { SegmentedControl, Select, Switch } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { calibrationFor, floorAt, noiseOf } from '@/api/calibration';
import { hostQueries } from '@/api/hosts';
import { metricQueries } from '@/api/metrics';
import type { Run } from '@/api/runs';
import { Section } from '@/components/Page';
import { EmptyState } from '@/components/States';
import { words } from '@/lib/format';
import { describeLoad } from '@/lib/load';
import { describeParameter } from '@/lib/parameters';
import { ColdStart } from './ColdStart';
import { Environment } from './Environment';
import { type Block, blockTitle, type Group, groupCells, listBlocks } from './groups';
import { Legend } from './Legend';
import classes from './RunResult.module.css';
import { ResultTable } from './ResultTable';
import { describeResult, headlineMetric } from './sentence';
import { StepsFigures } from './StepsFigures';
import { SweepFigure, SweepPicker } from './SweepFigure';
import { TailFigure } from './TailFigure';
import { TimeCharts } from './TimeCharts';
import { TrialTable } from './TrialTable';
import { WarmUps } from './WarmUps';

export interface ResultSelection {
  metric?: string;
  group?: string;
  /** Framework shown alone in the charts. */
  only?: string;
  /** `no` hides the warm-up. */
  warm_up?: string;
}

interface RunResultProps {
  run: Run;
  selection: ResultSelection;
  onSelect: (selection: ResultSelection) => void;
}

/** A finished run: what it says, what supports that, and what it was measured on. */
export function RunResult({ run, selection, onSelect }: RunResultProps) {
  const blocks = listBlocks(groupCells(run));
  const block =
    blocks.find(({ groups }) => groups.some((one) => one.key === selection.group)) ?? blocks[0];
  if (block === undefined) {
    return <EmptyState title="This run has no cells">Nothing was asked of it.</EmptyState>;
  }
  const group = block.groups.find((one) => one.key === selection.group) ?? block.groups[0];
  const pick = (key: string) => {
    onSelect({ ...selection, group: key });
  };
  return (
    <>
      {blocks.length > 1 && <BlockPicker blocks={blocks} value={block.key} onPick={pick} />}
      <GroupResult
        run={run}
        block={block}
        group={group}
        selection={selection}
        onSelect={onSelect}
        onPick={pick}
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
  const data = blocks.map((one) => ({ value: one.key, label: blockTitle(one, blocks) }));
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

function GroupResult({ run, block, group, selection, onSelect, onPick }: GroupResultProps) {
  const metrics = useQuery(metricQueries.list());
  const metric = selection.metric ?? headlineMetric(group.kind, group.cells);
  const title = metrics.data?.find((one) => one.metric === metric)?.title ?? words(metric);
  const host = useQuery(hostQueries.quietly(run.host));
  const calibration = calibrationFor(host.data, run.environment.host_digest);
  const floor = floorAt(calibration, group.parameters.rate_rps);
  const noise = noiseOf(calibration, metric, {
    scenario: group.scenario.slug,
    profile: group.profile,
  });
  const only = selection.only ?? '';
  const shown = group.cells.filter((cell) => only === '' || cell.framework.slug === only);
  const withWarmUp = selection.warm_up !== 'no';
  const isolate = (framework: string) => {
    onSelect({ ...selection, only: framework });
  };
  const sentence = describeResult(group.cells, metric, title).join(' ');
  const measured = group.cells.some((cell) => cell.trials_succeeded > 0);

  return (
    <>
      {!block.sweep && <p className={classes.sentence}>{sentence}</p>}
      <div className={classes.toolbar}>
        <Select
          label="Metric"
          className={classes.metric}
          data={(metrics.data ?? []).map((one) => ({ value: one.metric, label: one.title }))}
          value={metric}
          allowDeselect={false}
          onChange={(value) => {
            if (value !== null) onSelect({ ...selection, metric: value });
          }}
        />
        <p className={classes.load}>
          {group.scenario.name},{' '}
          {block.sweep
            ? `${describeParameter(block.sweep.parameter).title.toLowerCase()} swept`
            : describeLoad(group)}
        </p>
      </div>
      {block.sweep && (
        <>
          <SweepFigure
            run={run}
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
          <p className={classes.sentence}>{sentence}</p>
        </>
      )}
      <ResultTable
        group={group}
        metric={metric}
        metricTitle={title}
        only={only}
        noise={noise}
        onIsolate={isolate}
      />
      {measured && (
        <Section
          title="Under the numbers"
          hint="Press a framework to see it alone."
          actions={
            <Switch
              label="Warm-up"
              checked={withWarmUp}
              onChange={(event) => {
                onSelect({ ...selection, warm_up: event.currentTarget.checked ? '' : 'no' });
              }}
            />
          }
        >
          <Legend cells={group.cells} only={only} onIsolate={isolate} />
          <WarmUps run={run} cells={shown} />
          <div className={classes.charts}>
            {group.kind === 'steps' ? (
              <StepsFigures run={run} cells={shown} />
            ) : (
              <TailFigure run={run} cells={shown} floor={floor} />
            )}
            <ColdStart run={run} cells={shown} />
            <TimeCharts run={run} cells={shown} withWarmUp={withWarmUp} floor={floor} />
          </div>
        </Section>
      )}
      <Section
        title="Trials"
        hint="Each a fresh start of the service, in the order in which they ran."
      >
        <TrialTable run={run} cells={group.cells} />
      </Section>
      <Section title="Environment">
        <Environment run={run} />
      </Section>
    </>
  );
}
