/** The search parameters of each route. A parameter that is not valid counts as absent. */
import * as v from 'valibot';
import type { Metric } from '@/api/schema';
import { RUN_ORDERS, RUN_OUTCOMES, RUN_STATUSES } from '@/api/runs';
import { STATUSES } from '@/features/incidents/statuses';
import { isReturnPath } from '@/lib/return-path';
import {
  date,
  digits,
  frameworks,
  id,
  ids,
  listOf,
  name,
  names,
  probability,
  text,
  validateBy,
  wordOf,
} from '@/lib/search-params';

/** The server refuses unknown metrics. */
const metric = v.pipe(
  name,
  v.transform((value) => value as Metric),
);

const PLAN = {
  scenarios: names,
  cells: listOf(/^[\w-]+\.[\w-]+$/),
  profile: listOf(/^[\w-]+\.[\w-]+$/),
  set: listOf(/^[\w-]+\.\w+\.\d+(:\d+)*:?$/),
  // The form checks bounds, so that a number can be typed digit by digit.
  trials: digits,
  until: text,
  host: text,
  hosts: text,
  load_hosts: text,
  title: text,
};

export const newRunSearch = validateBy({ ...PLAN, find: text });

/** The page to return to, and why single sign-on failed. */
export const signInSearch = validateBy({
  to: v.pipe(text, v.check(isReturnPath)),
  refused: text,
});

export const auditSearch = validateBy({
  actor: text,
  action: text,
  subject: text,
  since: date,
  until: date,
});

export const newScheduleSearch = validateBy(PLAN);

export const runSearch = validateBy({
  metric,
  baseline: name,
  group: name,
  only: names,
  warm_up: wordOf(['no']),
});

export const runsSearch = validateBy({
  framework: name,
  scenario: name,
  host: text,
  requested_by: text,
  status: wordOf(RUN_STATUSES),
  outcome: wordOf(RUN_OUTCOMES),
  since: date,
  until: date,
  sort: wordOf(RUN_ORDERS),
  cursor: text,
});

export const historySearch = validateBy({
  framework: frameworks,
  scenario: name,
  metric,
  load: name,
  host: text,
  axis: wordOf(['time', 'run']),
  p: probability,
  from: date,
  to: date,
  only: text,
  picked: ids,
});

export const changesSearch = validateBy({
  status: wordOf(['open', 'all', ...STATUSES.map(({ status }) => status)]),
});

export const guardsSearch = validateBy({ service: name });

/** Id of the series that the chart shows. */
export const incidentSearch = validateBy({ series: id });

export const compareSearch = validateBy({
  cells: ids,
  baseline: id,
  metric,
  x: name,
  y: name,
  only: text,
  picked: ids,
  framework: name,
  scenario: name,
  host: text,
  run: text,
  search: text,
});

export const chooseSearch = validateBy({
  frameworks: names,
  language: text,
  scenario: name,
  criteria: names,
  load: listOf(/^\w+:\d{1,9}$/),
  host: text,
});

export const snapshotSearch = validateBy({ metric, x: name, y: name, only: text });

export const leaderboardSearch = validateBy({
  scenario: name,
  host: text,
  profile: name,
  runtime: wordOf(['docker', 'process']),
  metric,
  weights: listOf(/^\w+(:\d+(\.\d+)?)?$/),
  board: text,
  picked: ids,
});

export const catalogueSearch = validateBy({
  search: text,
  language: text,
  runtime: text,
  concurrency: text,
  scenario: name,
});

export const frameworkSearch = validateBy({ picked: ids });

export const studySearch = validateBy({ run: name });
