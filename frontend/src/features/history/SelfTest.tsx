import { keepPreviousData } from '@tanstack/react-query';
import { api } from '@/api/client';
import type { DetectorTest } from '@/api/schema';
import type { HistoryLine } from '@/charts/HistoryChart';
import { Marker } from '@/components/Marker';
import classes from './Controls.module.css';
import type { HistoryQuery } from './query';

interface SelfTestProps {
  query: HistoryQuery;
  pValue: number;
  lines: readonly HistoryLine[];
}

/** Shows how many simulated shifts the detector finds in these series, and its false alarms. */
export function SelfTest({ query, pValue, lines }: SelfTestProps) {
  const { data } = api.useQuery(
    'get',
    '/api/v1/history/self-test',
    { params: { query: { ...query, p_value: pValue } } },
    { placeholderData: keepPreviousData },
  );
  if (data === undefined) return null;
  return (
    <ul className={classes.test} aria-label="Self-test of the detector">
      {data.series.map((test, index) => (
        <li key={lines[index]?.id ?? index}>
          <Marker colour={lines[index]?.colour ?? index} />
          <span>
            {lines.length > 1 && <strong>{lines[index]?.name}. </strong>}
            {describe(test)}
          </span>
        </li>
      ))}
    </ul>
  );
}

function describe(test: DetectorTest | null): string {
  if (test === null) return 'Self-test: this series has too few points.';
  const percent = `+${String(Math.round((test.ratio - 1) * 100))}\u202f%`;
  return (
    `Self-test on this series: the detector found ${String(test.found)} of ${String(test.injections)} ` +
    `simulated shifts of ${percent}, so it ${chance(test)} such a shift. It raised a false alarm in ` +
    `${String(test.alarms)} of ${String(test.shuffles)} shuffled series without a shift ` +
    `(${share(test.alarms, test.shuffles)}).`
  );
}

function chance({ found, injections }: DetectorTest): string {
  if (found >= 0.8 * injections) return 'probably finds';
  return found >= 0.2 * injections ? 'may miss' : 'probably misses';
}

function share(part: number, whole: number): string {
  return `${String(Math.round((part / whole) * 100))}\u202f%`;
}
