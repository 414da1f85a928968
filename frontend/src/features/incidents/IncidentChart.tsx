import { useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { ChangeOut } from '@/api/schema';
import { ChartFigure } from '@/charts/ChartFigure';
import { HistoryChart } from '@/charts/lazy';
import { HistoryRules } from '@/charts/rules';
import { formatDateTime } from '@/lib/format';
import { late } from '@/lib/late';
import { describeLoad } from '@/lib/load';
import { formatRatio } from '@/lib/ratio';
import { incidentLine, incidentOrigin, incidentSummary, incidentTable } from './incident-figure';
import { sizeOf } from './sizes';
import { seriesTitleOf } from './titles';

const LateChart = late(HistoryChart);

/** Draws the series of a change, with a rule at the first point of the new level. */
export function IncidentChart({ change, metricTitle }: { change: ChangeOut; metricTitle: string }) {
  const navigate = useNavigate();
  const title = seriesTitleOf(change, metricTitle);
  const lines = useMemo(() => [incidentLine(change)], [change]);
  const rules = useMemo(
    () => [
      {
        at: Date.parse(change.at),
        label: formatRatio(sizeOf(change).ratio),
        kind: 'change' as const,
        colour: change.framework.colour,
      },
    ],
    [change],
  );
  const times = change.points.map((point) => Date.parse(point.at));
  return (
    <ChartFigure
      title={title}
      caption={
        <>
          {describeLoad(change)} on {change.host}. The line marks the first run at the new level,{' '}
          {formatDateTime(change.at)}.{' '}
          {change.direction === 'higher' ? 'Higher is better' : 'Lower is better'}; the axis may
          start above 0. Whiskers show 95 % intervals. {describeRatio(change)}
          Click a point to open its run.
        </>
      }
      filename={`tacho-change-${change.framework.slug}-${change.scenario.slug}-${change.metric}`}
      table={() => incidentTable(change)}
      summary={() => incidentSummary(change)}
      origin={incidentOrigin(change)}
      legend={lines}
    >
      <HistoryRules value={rules}>
        <LateChart
          lines={lines}
          unit={change.unit}
          from={Math.min(...times)}
          to={Math.max(...times)}
          onSelect={(run) => void navigate({ to: '/r/$run', params: { run } })}
        />
      </HistoryRules>
    </ChartFigure>
  );
}

/** Return where the ratio in the chart comes from, if it is not simply that of the points. */
function describeRatio({ confirmation, history }: ChangeOut): string {
  if (confirmation?.found) return 'The ratio is that of the confirmation run. ';
  return history.is_adjusted
    ? 'The ratio excludes the shift that all services of the host share. '
    : '';
}
