import { describe, expect, it } from 'vitest';
import { parseSearch, stringifySearch } from '@/lib/search';
import * as routes from './search';

const ID = '01a200dc-8f3c-7088-a929-15e1ba9df472';
const OTHER = '01a200dc-8f3c-7088-a929-15e2cfed0cf0';

type Search = Record<string, string>;

interface RouteCase {
  validate: (search: Record<string, unknown>) => Record<string, unknown>;
  valid: Search;
  /** Each parameter is left out. */
  invalid: Search;
}

const PLAN = {
  cells: 'hello.node,slow-upstream.go-nethttp',
  profile: 'hello.rate-full',
  set: 'hello.rate_rps.500,slow-upstream.delay_ms.100:500,slow-upstream.users.7:',
  trials: '3',
  host: 'bench-01.lab',
  load_hosts: 'load-1,load-2',
  title: 'Node or Go? 50 % & more',
};
const BAD_PLAN = {
  cells: 'hello',
  profile: '.',
  set: 'hello.rate_rps.x',
  trials: 'many',
  host: '',
};

const ROUTES: Record<string, RouteCase> = {
  '/runs/new': {
    validate: routes.newRunSearch,
    valid: { ...PLAN, find: 'spring' },
    invalid: { ...BAD_PLAN, find: '' },
  },
  '/schedules/new': { validate: routes.newScheduleSearch, valid: PLAN, invalid: BAD_PLAN },
  '/runs': {
    validate: routes.runsSearch,
    valid: {
      framework: 'node',
      scenario: 'hello',
      host: 'vm (example 2)',
      requested_by: 'ann@example.org (nightly)',
      status: 'failed',
      outcome: 'usable_with_warnings',
      since: '2026-11-22',
      until: '2026-11-23',
      sort: 'longest',
      cursor: 'MjAyNg==',
    },
    invalid: { framework: '<', status: 'odd', outcome: 'odd', since: 'x', until: 'y', sort: 'z' },
  },
  '/r/$run': {
    validate: routes.runSearch,
    valid: {
      metric: 'latency_p99_ms',
      baseline: 'node',
      group: 'hello.rate-quick.2',
      only: 'node,go-nethttp',
      warm_up: 'no',
    },
    invalid: { metric: 'a b', baseline: '<', group: '"', only: ',', warm_up: 'yes' },
  },
  '/history': {
    validate: routes.historySearch,
    valid: {
      framework: 'node,axum',
      scenario: 'hello',
      metric: 'boot_ms',
      host: 'vm',
      p: '0.0001',
      from: '2026-11-22T00:53:00.000Z',
      to: '2026-11-23T00:53:00.000Z',
      only: 'node, 10 users',
      picked: ID,
    },
    invalid: { framework: '/', p: '2', from: 'yesterday', to: '', picked: 'node' },
  },
  '/changes': {
    validate: routes.changesSearch,
    valid: { status: 'host_drift' },
    invalid: { status: 'unknown' },
  },
  '/compare': {
    validate: routes.compareSearch,
    valid: {
      cells: `${ID},${OTHER}`,
      baseline: ID,
      metric: 'boot_ms',
      x: 'throughput_rps',
      y: 'latency_p99_ms',
      only: 'node',
      picked: OTHER,
      framework: 'node',
      scenario: 'hello',
      host: 'vm',
      run: 'k3v9q2mx4d',
    },
    invalid: { cells: 'all', baseline: '1', metric: ' ', x: '?', picked: '' },
  },
  '/c/$hash': {
    validate: routes.snapshotSearch,
    valid: { metric: 'boot_ms', x: 'boot_ms', y: 'latency_p99_ms', only: 'node' },
    invalid: { metric: 'a b', x: '%', y: '', only: '' },
  },
  '/leaderboard': {
    validate: routes.leaderboardSearch,
    valid: {
      scenario: 'hello',
      host: 'vm',
      profile: 'rate-full',
      runtime: 'docker',
      metric: 'boot_ms',
      weights: 'cpu_us_per_request:2,boot_ms:0.5',
      board: 'a1b2',
      picked: ID,
    },
    invalid: { runtime: 'podman', weights: 'boot_ms:much', picked: 'node', metric: '-- --' },
  },
  '/frameworks': {
    validate: routes.catalogueSearch,
    valid: {
      search: 'spring',
      language: 'C#',
      runtime: 'Node.js',
      concurrency: 'event loop',
      scenario: 'hello',
    },
    invalid: { search: '', scenario: 'a b', language: 'x'.repeat(5000) },
  },
  '/frameworks/$slug': {
    validate: routes.frameworkSearch,
    valid: { picked: `${ID},${OTHER}` },
    invalid: { picked: '1,2' },
  },
  '/studies/$slug': {
    validate: routes.studySearch,
    valid: { run: 'k3v9q2mx4d' },
    invalid: { run: '../runs' },
  },
};

describe.each(Object.entries(ROUTES))('the search parameters of %s', (_path, route) => {
  it('are kept if they are valid, without unknown ones', () => {
    const kept = route.validate({ ...route.valid, other: 'x' });
    expect(parseSearch(stringifySearch(kept))).toEqual(route.valid);
    expect(route.validate(kept)).toEqual(kept);
  });

  it('are left out if they are not valid', () => expect(route.validate(route.invalid)).toEqual({}));
});

it('keeps the valid parts of a list', () =>
  expect(routes.frameworkSearch({ picked: `${ID},nonsense` })).toEqual({ picked: [ID] }));
