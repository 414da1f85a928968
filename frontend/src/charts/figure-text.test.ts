import { expect, it } from 'vitest';
import { describeTrialCounts, figureMarkdown, wrapText } from './figure-text';

const ORIGIN = {
  subject: 'Slow upstream [nightly]',
  facts: ['Slow upstream, 400 req/s for 10 s', 'host bench-01', 'n = 5', '20 Nov 2026'],
  link: 'https://tacho.example.org/r/abc',
};

it('copies a figure with its facts, rounded numbers and a link', () => {
  const summary = { columns: ['result', 'p99'], rows: [['Go | net/http', '0.359 ms']] };
  expect(figureMarkdown('Latency by percentile', ORIGIN, summary)).toBe(`**Latency by percentile**

Slow upstream \\[nightly\\] · Slow upstream, 400 req/s for 10 s · host bench-01 · n = 5 · 20 Nov 2026

| result | p99 |
| --- | ---: |
| Go \\| net/http | 0.359 ms |

[Slow upstream \\[nightly\\]](https://tacho.example.org/r/abc)
`);
});

it('names the number of trials, or its range', () =>
  expect([[5, 5], [3, 5], []].map(describeTrialCounts)).toEqual(['n = 5', 'n = 3 to 5', 'n = 0']));

it('breaks long lines at spaces', () => {
  const widthOf = (text: string) => text.length;
  expect(wrapText('one two three four', 9, widthOf)).toEqual(['one two', 'three', 'four']);
  expect(wrapText('unbreakable word', 5, widthOf)).toEqual(['unbreakable', 'word']);
});
