/** Requests of the page of a run, which its loader starts too. */
import { api } from '@/api/client';
import { tellBuildsApart } from '@/api/runs';
import type { ResultSelection } from './selection/selection';

/** The run with this id or slug. */
export function runQuery(run: string) {
  return api.queryOptions(
    'get',
    '/api/v1/runs/{run_id}',
    { params: { path: { run_id: run } } },
    { select: tellBuildsApart },
  );
}

export function answerQuery(run: string) {
  return api.queryOptions('get', '/api/v1/runs/{run_id}/answer', {
    params: { path: { run_id: run } },
  });
}

export function rankingQuery(run: string, { metric, baseline }: ResultSelection) {
  return api.queryOptions('get', '/api/v1/runs/{run_id}/ranking', {
    params: { path: { run_id: run }, query: { metric, baseline } },
  });
}
