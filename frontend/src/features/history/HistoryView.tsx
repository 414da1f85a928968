import { Button } from '@mantine/core';
import { keepPreviousData } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useCallback, useDeferredValue, useMemo, useState } from 'react';
import { calibrationFor, noiseOf } from '@/api/calibration';
import { api } from '@/api/client';
import type { HistoryOut, HistorySeries, HostOut } from '@/api/schema';
import { ChartFigure } from '@/charts/ChartFigure';
import type { HistoryAxis } from '@/charts/HistoryChart';
import { HistoryChart } from '@/charts/lazy';
import { type HistoryRule, HistoryRules } from '@/charts/rules';
import { Legend } from '@/components/Legend';
import { Section } from '@/components/Page';
import { EmptyState, LoadingState } from '@/components/States';
import { joinWords } from '@/lib/format';
import { late } from '@/lib/late';
import { togglePicked } from '@/lib/picked';
import { isolate, isVisible, toggle } from '@/lib/visible';
import { isCrowded } from './axis';
import { AxisChoice } from './AxisChoice';
import { ChangeTable } from './ChangeTable';
import { historyOrigin, historySummary, historyTable } from './history-table';
import classes from './HistoryView.module.css';
import { HistoryAnswers } from './HistoryAnswers';
import { LimitStates } from './LimitStates';
import { useHosts } from './hosts';
import {
  cutSpan,
  keyOf,
  rulesOf,
  sharedFacts,
  shownAtFirst,
  spanOf,
  toLine,
  withoutCrowdedBands,
} from './lines';
import { noiseBand } from './noise-band';
import { Period } from './Period';
import type { HistoryQuery } from './query';
import { PointTable } from './PointTable';
import { SelfTest } from './SelfTest';
import { Sensitivity } from './Sensitivity';

const LateChart = late(HistoryChart);

/** URL parameters other than the series. */
export interface HistoryChoice {
  p?: string | undefined;
  axis?: HistoryAxis | undefined;
  from?: string | undefined;
  to?: string | undefined;
  /** Series drawn, separated by commas; empty for all. */
  only?: string | undefined;
  /** Cells ticked to compare. */
  picked?: string[] | undefined;
}

interface HistoryViewProps {
  history: HistoryOut;
  query: HistoryQuery;
  metricTitle: string;
  choice: HistoryChoice;
  /** The selection of frameworks, scenario, load, metric and host. */
  controls: ReactNode;
  onChoose: (choice: HistoryChoice) => void;
  onOpenRun: (runId: string) => void;
}

/** Shows the points of one or more series, their level shifts, and changes of the environment. */
export function HistoryView(props: HistoryViewProps) {
  const { history } = props;
  const whole = spanOf(history);
  if (whole === null) {
    return (
      <>
        {props.controls}
        <EmptyState
          title="No data for this metric yet"
          action={
            <Button
              size="xs"
              variant="default"
              renderRoot={(props) => <Link to="/runs/new" {...props} />}
            >
              Plan a run
            </Button>
          }
        >
          Run one of these frameworks on {history.scenario.name}. Each finished run adds a point.
        </EmptyState>
      </>
    );
  }
  return <Points {...props} whole={whole} />;
}

interface PointsProps extends HistoryViewProps {
  whole: { from: number; to: number };
}

function Points(props: PointsProps) {
  const { history, query, metricTitle, choice, whole, controls, onChoose, onOpenRun } = props;
  const { scenario, unit, series } = history;
  const { hosts, areFetched } = useHosts(series);
  const chosen = readPValue(choice.p) ?? history.p_value;
  const [dragged, setDragged] = useState<number | null>(null);
  const pValue = useDeferredValue(dragged ?? chosen);
  const detection = api.useQuery(
    'get',
    '/api/v1/history/changes',
    { params: { query: { ...query, p_value: pValue } } },
    { placeholderData: keepPreviousData },
  );
  const lines = useMemo(
    () =>
      history.series.flatMap((series, index) => {
        const host = hosts.find(({ name }) => name === series.host);
        const line = toLine(history, index, bandOf(history, series, host));
        return line === null ? [] : [line];
      }),
    [history, hosts],
  );
  const changes = useMemo(
    () =>
      history.series.map(
        (series, index) => detection.data?.series[index]?.changes ?? series.changes,
      ),
    [history, detection.data],
  );
  const pick = useCallback(
    (cell: string) => {
      onChoose({ ...choice, picked: togglePicked(choice.picked ?? [], cell) });
    },
    [choice, onChoose],
  );
  const asked = choice.only ?? shownAtFirst(history, lines);
  // The URL may name series that no longer exist.
  const only = lines.some((line) => isVisible(asked, line.id)) ? asked : '';
  const drawn = useMemo(
    () => withoutCrowdedBands(lines.filter((line) => isVisible(only, line.id))),
    [lines, only],
  );
  const keys = lines.map((line) => line.id);
  const show = (next: string) => {
    const isAll = next === '' && shownAtFirst(history, lines) !== '';
    onChoose({ ...choice, only: isAll ? keys.join(',') : next });
  };
  const rules = useMemo(
    () =>
      uniqueRules(
        history.series.flatMap((series, index) =>
          isVisible(only, keyOf(history, index))
            ? rulesOf(changes[index] ?? [], series.events, series.framework.colour)
            : [],
        ),
      ),
    [history, changes, only],
  );
  const axis = choice.axis ?? (isCrowded(lines) ? 'run' : 'time');
  const span = cutSpan(whole, choice.from, choice.to);
  const names = joinWords([...new Set(drawn.map((line) => line.owner))]);
  // The noise of a host is part of chart and caption.
  if (!areFetched) return <LoadingState lines={8} height={28} />;
  return (
    <>
      <HistoryAnswers answers={detection.data?.answers ?? history.answers} />
      {controls}
      <p className={classes.facts}>{sharedFacts(history).join(' · ')}</p>
      <LimitStates history={history} isShown={(key) => isVisible(only, key)} />
      {lines.length > 1 && (
        <div className={classes.legend}>
          <Legend
            label="Series in the chart"
            items={lines.map(({ id, ...line }) => ({ key: id, ...line }))}
            only={only}
            onIsolate={(key) => {
              show(isolate(only, key));
            }}
            onToggle={(key) => {
              show(toggle(only, key, keys));
            }}
          />
        </div>
      )}
      <AxisChoice
        axis={axis}
        onChoose={(next) => {
          onChoose({ ...choice, axis: next });
        }}
      />
      <ChartFigure
        title={`${metricTitle} of ${names} on ${scenario.name}`}
        caption={<Caption history={history} isBanded={drawn.some((line) => line.band !== null)} />}
        filename={`tacho-history-${query.framework.join('-')}-${scenario.slug}-${history.metric}`}
        table={() => historyTable(history, lines, changes)}
        summary={() => historySummary(drawn, unit, span)}
        origin={historyOrigin(history, drawn, span)}
        legend={drawn}
      >
        <HistoryRules value={rules}>
          <LateChart lines={drawn} unit={unit} axis={axis} {...span} onSelect={onOpenRun} />
        </HistoryRules>
      </ChartFigure>
      <Period
        lines={lines}
        whole={whole}
        span={span}
        onChoose={(from, to) => {
          onChoose({ ...choice, from, to });
        }}
      />
      <Sensitivity
        pValue={dragged ?? chosen}
        changes={changes.flat().filter((change) => change.p_value <= pValue).length}
        onDrag={setDragged}
        onChoose={(value) => {
          setDragged(null);
          onChoose({ ...choice, p: value === history.p_value ? undefined : String(value) });
        }}
      />
      <Section title="Level shifts">
        <ChangeTable history={history} changes={changes} lines={lines} />
        <SelfTest query={query} pValue={chosen} lines={lines} />
      </Section>
      <Section title="Runs">
        <PointTable lines={lines} unit={unit} picked={choice.picked ?? []} onPick={pick} />
      </Section>
    </>
  );
}

function Caption({ history, isBanded }: { history: HistoryOut; isBanded: boolean }) {
  return (
    <>
      {history.direction === 'higher' ? 'Higher is better' : 'Lower is better'}. The axis may start
      above 0. Whiskers show 95 % intervals (up to 200 points); hollow points are excluded.{' '}
      {isBanded && 'Differences within the band may be noise of the host. '}
      Solid vertical lines mark level shifts with their ratio; dotted ones mark changes of build,
      versions or host. Click a point to open its run.
    </>
  );
}

/** Return the rules without repetitions: a change of the host concerns all series. */
function uniqueRules(rules: readonly HistoryRule[]): HistoryRule[] {
  const nameRule = ({ kind, label, at }: HistoryRule) => `${kind} ${label} ${String(at)}`;
  return [...new Map(rules.map((rule) => [nameRule(rule), rule])).values()];
}

function bandOf(history: HistoryOut, series: HistorySeries, host: HostOut | undefined) {
  const calibration = calibrationFor(host, series.points.at(-1)?.host_digest);
  const load = { scenario: history.scenario.slug, profile: series.profile };
  return noiseBand(series.points, noiseOf(calibration, history.metric, load));
}

/** Return the p-value of the URL if the server accepts it; else null. */
function readPValue(text: string | undefined): number | null {
  const value = Number(text);
  return text !== undefined && value >= 1e-9 && value <= 0.05 ? value : null;
}
