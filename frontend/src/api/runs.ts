import {
  infiniteQueryOptions,
  queryOptions,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query';
import { client, unwrap } from './client';
import type {
  Answer,
  AnswerLine,
  AnswerMatrix,
  AnswerRemedy,
  AnswerRow,
  CellOut,
  Failure,
  FrameworkRef,
  GroupRankingOut,
  LoadHostNetworkOut,
  Metric,
  MetricSummary,
  Progress,
  RunDependents,
  RunIn,
  RunListItem,
  RunOut,
  RunPatch,
  ResultGroupOut,
  RunStatus,
  TrialStatus,
  VerdictOut,
  WarmUpsOut,
} from './schema';

export type { Answer, AnswerLine, AnswerMatrix, AnswerRemedy, AnswerRow };
export type { Failure, FrameworkRef, MetricSummary, Progress, RunDependents };
export type { RunListItem, RunStatus, TrialStatus };
/** A run requested in the UI. `tacho doctor --calibrate` requests calibrations. */
export type NewRun = Omit<RunIn, 'purpose'>;
export type GroupRanking = GroupRankingOut;
export type ResultGroup = ResultGroupOut;
export type Run = RunOut;
export type LoadHostNetwork = LoadHostNetworkOut;
export type RunCell = CellOut;
export type WarmUps = WarmUpsOut;
export type CellVerdict = VerdictOut;
export type Visibility = RunOut['visibility'];

export interface RunFilter {
  status?: RunStatus;
  framework?: string;
  scenario?: string;
  /** Only runs that schedules started, or only others. */
  scheduled?: boolean;
}

export function isFinished(status: RunStatus): boolean {
  return status !== 'queued' && status !== 'running';
}

/** Lists show progress, so they are refetched more often while a run is active. */
const WATCH_MS = 3000;
const IDLE_MS = 15_000;

/** Grey for the old build, unless the framework itself has this colour. */
const OLD_COLOUR = 7;

/** A confirmation run's two cells are one framework: each build gets its own name in the URL and its colour. */
export function tellBuildsApart(run: Run): Run {
  if (run.purpose !== 'confirmation') return run;
  const cells = run.cells.map((cell, index) => {
    const { framework } = cell;
    if (index > 0) return cell;
    const colour = framework.colour === OLD_COLOUR ? OLD_COLOUR + 1 : OLD_COLOUR;
    return { ...cell, framework: { ...framework, slug: `${framework.slug}.old`, colour } };
  });
  return { ...run, cells };
}

export const runQueries = {
  /** By id or slug. */
  one: (idOrSlug: string) =>
    queryOptions({
      queryKey: ['runs', 'one', idOrSlug],
      queryFn: ({ signal }) =>
        unwrap(
          client.GET('/api/v1/runs/{run_id}', { params: { path: { run_id: idOrSlug } }, signal }),
        ),
      select: tellBuildsApart,
    }),
  /** The answer of a run, for the card at the top of its page. */
  answer: (idOrSlug: string) =>
    queryOptions({
      queryKey: ['runs', 'one', idOrSlug, 'answer'],
      queryFn: ({ signal }) =>
        unwrap(
          client.GET('/api/v1/runs/{run_id}/answer', {
            params: { path: { run_id: idOrSlug } },
            signal,
          }),
        ),
    }),
  /** The ranking by a metric; an empty metric selects the main metric of each load. */
  ranking: (idOrSlug: string, metric: string, baseline: string) =>
    queryOptions({
      queryKey: ['runs', 'one', idOrSlug, 'ranking', metric, baseline],
      queryFn: ({ signal }) =>
        unwrap(
          client.GET('/api/v1/runs/{run_id}/ranking', {
            params: {
              path: { run_id: idOrSlug },
              query: {
                ...(metric !== '' && { metric: metric as Metric }),
                ...(baseline !== '' && { baseline }),
              },
            },
            signal,
          }),
        ),
      select: (ranking): GroupRanking[] => ranking.groups,
      staleTime: 60_000,
    }),
  /** The numbers of rows that depend on a run, for the dialog that deletes it. */
  dependents: (idOrSlug: string) =>
    queryOptions({
      queryKey: ['runs', 'one', idOrSlug, 'dependents'],
      queryFn: ({ signal }) =>
        unwrap(
          client.GET('/api/v1/runs/{run_id}/dependents', {
            params: { path: { run_id: idOrSlug } },
            signal,
          }),
        ),
      staleTime: 0,
    }),
  pages: (filter: RunFilter, limit: number) =>
    infiniteQueryOptions({
      queryKey: ['runs', 'pages', filter, limit],
      queryFn: ({ signal, pageParam }) =>
        unwrap(
          client.GET('/api/v1/runs', {
            params: { query: { ...filter, limit, ...(pageParam && { cursor: pageParam }) } },
            signal,
          }),
        ),
      initialPageParam: '',
      getNextPageParam: (page) => page.next,
      refetchInterval: (query) =>
        query.state.data?.pages.some((page) => page.items.some((run) => !isFinished(run.status)))
          ? WATCH_MS
          : IDLE_MS,
    }),
};

export function useCreateRun() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ body, idempotencyKey }: { body: NewRun; idempotencyKey: string }) =>
      unwrap(
        client.POST('/api/v1/runs', {
          body: { ...body, purpose: 'comparison' },
          headers: { 'Idempotency-Key': idempotencyKey },
        }),
      ),
    // Not awaited: once the list shows the run, the overview replaces the component that started
    // it, which then would not open the page of the run.
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: ['runs'] });
    },
  });
}

export function useCancelRun(id: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () =>
      unwrap(client.POST('/api/v1/runs/{run_id}/cancel', { params: { path: { run_id: id } } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['runs'] }),
  });
}

/** Removes the seconds of a run. Its documents are fetched again. */
export function useArchiveRun(id: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () =>
      unwrap(client.POST('/api/v1/runs/{run_id}/archive', { params: { path: { run_id: id } } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['runs'] }),
  });
}

/** Deletes a run. Lists are fetched again; its own documents are forgotten when the page leaves. */
export function useDeleteRun(id: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () =>
      unwrap(client.DELETE('/api/v1/runs/{run_id}', { params: { path: { run_id: id } } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['runs', 'pages'] }),
  });
}

export function useRerun(id: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () =>
      unwrap(client.POST('/api/v1/runs/{run_id}/rerun', { params: { path: { run_id: id } } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['runs'] }),
  });
}

/** Changes the title or the visibility of a run. */
export function useChangeRun(id: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: RunPatch) =>
      unwrap(client.PATCH('/api/v1/runs/{run_id}', { params: { path: { run_id: id } }, body })),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['runs'] }),
  });
}

/** Return the URL of an export. */
export function exportUrl(id: string, format: 'json' | 'csv' | 'md' | 'html'): string {
  return `/api/v1/runs/${encodeURIComponent(id)}/export.${format}`;
}
