import { expect, it } from 'vitest';
import { summarizeHeats, summarizeMetrics, summarizeSeconds, summarizeTails } from './summaries';

const plain = (rows: readonly (readonly unknown[])[]) =>
  rows.map((row) => row.map((cell) => String(cell).replaceAll(/[\u202f\u00a0]/g, ' ')));

it('rounds percentiles as the page does, and leaves out unknown ones', () => {
  const { columns, rows } = summarizeTails([
    {
      name: 'Go',
      percentiles: [
        { quantile: 0.5, latency_ms: 0.35872308799999997 },
        { quantile: 0.99, latency_ms: 12.3456 },
        { quantile: 1, latency_ms: 45_000 },
      ],
    },
    { name: 'Node.js', percentiles: [{ quantile: 0.5, latency_ms: 45_000 }] },
  ]);
  expect(columns).toEqual(['result', 'p50', 'p99']);
  expect(plain(rows)).toEqual([
    ['Go', '0.359 ms', '12.3 ms'],
    ['Node.js', '45 s', '–'],
  ]);
});

it('summarizes only measured seconds', () => {
  const point = (x: number, y: number | null) => ({ x, low: y, middle: y, high: y });
  const line = {
    id: 'go',
    name: 'Go',
    colour: 0,
    excluded: false,
    points: [point(-1, 1), point(0, 300), point(1, null), point(2, 100), point(3, 200)],
  };
  const { rows } = summarizeSeconds([line, { ...line, name: 'Node', points: [] }], 'req/s');
  expect(plain(rows)).toEqual([
    ['Go', '100 req/s', '200 req/s', '300 req/s'],
    ['Node', '–', '–', '–'],
  ]);
});

it('counts the requests of a heat map', () => {
  const heat = {
    id: 'go',
    name: 'Go',
    colour: 0,
    excluded: false,
    firstSecond: 0,
    secondsPerColumn: 1,
    edgesMs: [1, 2, 4, 8],
    columns: [
      [0, 3, 0],
      [0, 4, 0],
    ],
  };
  expect(plain(summarizeHeats([heat]).rows)).toEqual([['Go', '7 requests', '2 ms', '4 ms']]);
  expect(plain(summarizeHeats([{ ...heat, edgesMs: [], columns: [] }]).rows)).toEqual([
    ['Go', '0 requests', '–', '–'],
  ]);
});

it('writes estimates with their intervals', () => {
  const cost = { estimate: 61.234, low: 60.1, high: 62.9, unit: 'µs' };
  const { rows } = summarizeMetrics(
    [
      { name: 'Go', summary: { cpu_us_per_request: cost } },
      { name: 'Node', summary: {} },
    ],
    [['cpu_us_per_request', 'CPU per request']],
  );
  expect(plain(rows)).toEqual([
    ['Go', '61.2 µs [60.1, 62.9]'],
    ['Node', '–'],
  ]);
});
