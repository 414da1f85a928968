/** Runs: finished, partly failed and live. */
import type { DocumentAt } from '@/testing/api';
import { cellOf, GO, GROUP, idOf, NODE, ratioOf, runItem, runOf, trialOf } from './builders';

type Run = DocumentAt<'/api/v1/runs/{run_id}'>;
type Ranking = DocumentAt<'/api/v1/runs/{run_id}/ranking'>;
type Group = Ranking['groups'][number];

function groupOf(part: Pick<Group, 'baseline' | 'sentences' | 'cells'>): Group {
  return {
    group: GROUP,
    metric: 'cpu_us_per_request',
    title: 'CPU per request',
    detectable_ratio: 1,
    margin_ratio: 1.03,
    ...part,
  };
}

const node = cellOf(idOf(11), NODE, [2, 2.2]);
const go = cellOf(idOf(12), GO, [4, 4.2]);
export const item = runItem();

export const run: Run = runOf(
  item,
  [node, go],
  [
    trialOf(node, 0, 2),
    trialOf(go, 1, 4),
    trialOf(node, 2, 2.2, { repetition: 2 }),
    trialOf(go, 3, 4.2, { repetition: 2 }),
  ],
);

export const ranking: Ranking = {
  groups: [
    groupOf({
      baseline: node.id,
      sentences: [
        'Node.js (167 ms [167, 167]) and Go net/http (167 ms [167, 167]) are equivalent in CPU per request.',
        'Only 2 trials each: treat this as a hint. Five are recommended.',
      ],
      cells: [
        { cell_id: node.id, rank: 1, equivalent: [go.id], undecided: [], ratio: null },
        { cell_id: go.id, rank: 1, equivalent: [node.id], undecided: [], ratio: ratioOf() },
      ],
    }),
  ],
};

const failed = cellOf(idOf(21), NODE, [], { trials_failed: 1 });
const measured = cellOf(idOf(22), GO, [1.5]);
const partial = runItem({
  id: idOf(2),
  slug: 'dcwrc3szqw',
  title: 'Half failed',
  status: 'failed',
  trials_per_cell: 1,
  progress: { ...item.progress, trials_total: 2, trials_finished: 2, trials_failed: 1 },
});

export const partialRun: Run = runOf(
  partial,
  [failed, measured],
  [
    trialOf(measured, 0, 1.5),
    trialOf(failed, 1, 0, {
      status: 'failed',
      runtime: null,
      stage_seconds: { building: 1 },
      verdicts: [],
      failure: {
        code: 'build_failed',
        title: 'Build failed',
        detail: 'npm [/ci] failed',
        cause: 'service',
        stage: 'building',
        evidence: [],
      },
      metrics: {},
    }),
  ],
);

export const partialRanking: Ranking = {
  groups: [
    groupOf({
      baseline: measured.id,
      sentences: [
        'CPU per request of Go net/http: 250 ms.',
        'Only 1 trial: treat this as a hint. Five are recommended.',
        '1 trial of Node.js failed.',
        'Node.js has no result.',
      ],
      cells: [measured, failed].map(({ id }) => ({
        cell_id: id,
        rank: null,
        equivalent: [],
        undecided: [],
        ratio: null,
      })),
    }),
  ],
};

const liveCell = cellOf(idOf(31), NODE, [1.5]);
const live = runItem({
  id: idOf(3),
  slug: 'm3sdjwpbcv',
  title: 'Live',
  status: 'running',
  frameworks: [NODE],
  progress: {
    ...item.progress,
    trials_total: 2,
    trials_finished: 1,
    share: 0.5,
    estimated_seconds_left: 21,
  },
  finished_at: null,
});

export const liveRun: Run = runOf(
  live,
  [liveCell],
  [
    trialOf(liveCell, 0, 1.5),
    trialOf(liveCell, 1, 0, {
      repetition: 2,
      status: 'building',
      runtime: null,
      finished_at: null,
      stage_seconds: {},
      verdicts: [],
      metrics: {},
    }),
  ],
);

export const runs: DocumentAt<'/api/v1/runs'> = { items: [live, partial, item], next: null };
