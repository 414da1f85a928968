/** Answers of the runs in `runs.ts`, for component tests. */
import type { DocumentAt } from '@/testing/api';
import { GROUP, NODE } from './builders';
import { run } from './runs';

type Answer = DocumentAt<'/api/v1/runs/{run_id}/answer'>;

export const answer: Answer = {
  kind: 'ranking',
  title: run.title,
  slug: run.slug,
  headline: 'No usable result',
  summary: 'No usable result',
  facts: ['Hello', '1 000 req/s', 'bench-01', '23 Nov 2026'],
  sentences: [
    'Node.js (167 ms [167, 167]) and Go net/http (167 ms [167, 167]) are equivalent in CPU per request.',
    'Only 2 trials each: treat this as a hint. Five are recommended.',
  ],
  outcome: 'not_usable',
  reason: 'Both results have only 2 trials; at least 3 are needed.',
  remedy: {
    label: 'Run again with 5 trials',
    plan: {},
    page: '/runs/new?cells=hello.node,hello.go-nethttp',
  },
  warnings: [{ summary: 'All results have only 2 trials.', results: [], details: [] }],
  group: GROUP,
  metric: 'cpu_us_per_request',
  metric_title: 'CPU per request',
  unit: 'µs',
  rows: [
    {
      cell_id: run.cells[0]?.id ?? '',
      framework: NODE.slug,
      name: NODE.name,
      colour: NODE.colour,
      rank: null,
      value: '167 ms',
      interval: null,
      values: '167, 167 ms',
      comparison: 'cannot be told apart yet',
      excluded: false,
      state: 'cannot_be_told_apart_yet',
      is_bound: false,
      estimate: 167_000,
      low: 167_000,
      high: 167_000,
      n: 2,
      ratio: null,
      ratio_low: null,
      ratio_high: null,
    },
  ],
  lines: [],
  matrix: null,
};

export const pendingAnswer: Answer = {
  ...answer,
  kind: 'pending',
  headline: 'Not finished yet',
  sentences: [],
  outcome: null,
  reason: null,
  remedy: null,
  warnings: [],
  rows: [],
};
