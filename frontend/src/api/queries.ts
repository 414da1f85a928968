/** How long answers stay fresh, and what is fetched again after a change. */
import {
  type DefaultOptions,
  type InfiniteData,
  MutationCache,
  type MutationMeta,
  QueryClient,
} from '@tanstack/react-query';
import { ProblemError } from './client';
import { isFinished } from './runs';
import type { paths } from './schema';

type DataAt<Path extends keyof paths> = paths[Path] extends {
  get: { responses: { 200: { content: { 'application/json': infer Data } } } };
}
  ? Data
  : unknown;

interface Freshness<Data> {
  /** Data that is younger is not fetched again when a page opens. `Infinity` is for data that never changes. */
  staleTime?: number;
  gcTime?: number;
  /** How often a shown page fetches it again. Lists that are read page by page have several pages. */
  refetchInterval?: number | ((pages: readonly Data[]) => number | false);
  refetchOnWindowFocus?: 'always';
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
/** Measurements of finished trials. */
const FINAL = { staleTime: Infinity, gcTime: 10 * MINUTE };

/** Only endpoints that differ from `staleTime: 5000` without an interval. A call may differ, too. */
const FRESHNESS: { [Path in keyof paths]?: Freshness<DataAt<Path>> } = {
  // Shows at once that another person has changed the role.
  '/api/v1/session': { staleTime: MINUTE, refetchOnWindowFocus: 'always' },
  // The key is not kept longer than the page.
  '/api/v1/links/read': { staleTime: Infinity, gcTime: 0 },

  '/api/v1/metrics': { staleTime: Infinity },
  '/api/v1/verdicts': { staleTime: Infinity },
  '/api/v1/presets': { staleTime: MINUTE },

  // Hosts report their current activity.
  '/api/v1/home': { refetchInterval: 5 * SECOND },
  '/api/v1/guards/requests': { refetchInterval: 10 * SECOND },
  '/api/v1/hosts': { refetchInterval: 4 * SECOND },
  '/api/v1/hosts/{name}': { refetchInterval: 4 * SECOND },
  '/api/v1/host-keys': { refetchInterval: 4 * SECOND },
  '/api/v1/queue': { refetchInterval: 4 * SECOND },
  '/api/v1/health': { refetchInterval: 10 * SECOND },
  '/api/v1/installation': { refetchInterval: 10 * SECOND },
  '/api/v1/limits': { refetchInterval: 10 * SECOND },
  '/api/v1/schedules': { refetchInterval: 10 * SECOND },
  '/api/v1/schedules/{schedule_id}': { refetchInterval: 10 * SECOND },
  '/api/v1/schedule-times': { staleTime: MINUTE },
  '/api/v1/webhooks': { refetchInterval: 15 * SECOND },
  '/api/v1/webhooks/{webhook_id}/deliveries': { refetchInterval: 15 * SECOND },

  // Lists show the progress of active runs.
  '/api/v1/runs': {
    refetchInterval: (pages) =>
      pages.some(({ items }) => items.some(({ status }) => !isFinished(status)))
        ? 3 * SECOND
        : 15 * SECOND,
  },
  '/api/v1/run-groups/{group}': {
    refetchInterval: ([group]) =>
      group?.runs.some(({ status }) => !isFinished(status)) === true && 4 * SECOND,
  },
  // An active reproduction adds results with every trial.
  '/api/v1/studies/{slug}': {
    refetchInterval: ([study]) =>
      study?.runs.some(({ status }) => !isFinished(status)) === true && 5 * SECOND,
  },
  '/api/v1/runs/{run_id}/ranking': { staleTime: MINUTE },
  '/api/v1/runs/{run_id}/dependents': { staleTime: 0 },

  // Results of finished runs change only when a run is deleted.
  '/api/v1/comparisons': { staleTime: MINUTE },
  '/api/v1/comparisons/charts': { staleTime: MINUTE },
  '/api/v1/comparisons/{comparison_hash}': { staleTime: Infinity },
  '/api/v1/history/changes': { staleTime: MINUTE },
  '/api/v1/history/self-test': { staleTime: MINUTE },

  '/api/v1/runs/{run_id}/charts': FINAL,
  '/api/v1/trials/{trial_id}': FINAL,
  '/api/v1/trials/{trial_id}/logs': FINAL,
  '/api/v1/cells/{cell_id}/latency': FINAL,

  // A confirmation run may end at any time.
  '/api/v1/changes/{change_id}': {
    refetchInterval: ([change]) => (change?.status === 'testing' ? 5 : 30) * SECOND,
  },
  '/api/v1/incidents': {
    refetchInterval: (pages) =>
      (pages.some(({ items }) => items.some(({ status }) => status === 'testing')) ? 4 : 30) *
      SECOND,
  },
  '/api/v1/incidents/{incident_id}': {
    refetchInterval: ([incident]) => (incident?.status === 'testing' ? 4 : 30) * SECOND,
  },
  '/api/v1/incident-counts': { refetchInterval: 30 * SECOND },
  // Every page shows this count.
  '/api/v1/open-incidents': { staleTime: MINUTE / 2, refetchInterval: MINUTE },
};

declare module '@tanstack/react-query' {
  interface Register {
    mutationMeta: {
      /** The page is left after the change, so only the next page fetches its data. */
      leaves?: boolean;
    };
  }
}

/**
 * Return the cache of the API's answers. After a change, all data counts as outdated. The change
 * counts as done when the data that the page shows have been fetched again.
 */
export function createQueries(queries: DefaultOptions['queries'] = {}): QueryClient {
  // Before the callbacks of the change itself, which may put newer data into the cache.
  const outdate = (_1: unknown, _2: unknown, _3: unknown, { meta }: { meta?: MutationMeta }) =>
    client.invalidateQueries({
      predicate: ({ queryKey }) => freshnessOf(queryKey)?.staleTime !== Infinity,
      refetchType: meta?.leaves ? 'none' : 'active',
    });
  const client: QueryClient = new QueryClient({
    mutationCache: new MutationCache({ onSuccess: outdate, onError: outdate }),
    defaultOptions: {
      queries: {
        staleTime: 5 * SECOND,
        // Retry only when there was no response; an error response would stay the same.
        retry: (failures, error) =>
          failures < 2 && (!(error instanceof ProblemError) || error.code === 'unreachable'),
        ...queries,
      },
    },
  });
  for (const [path, { refetchInterval, ...freshness }] of Object.entries(FRESHNESS)) {
    const method = path === '/api/v1/links/read' ? 'post' : 'get';
    client.setQueryDefaults([method, path], {
      ...freshness,
      ...(refetchInterval !== undefined && {
        refetchInterval: toInterval(refetchInterval as Freshness<unknown>['refetchInterval']),
      }),
    });
  }
  return client;
}

function freshnessOf([, path]: readonly unknown[]): Freshness<never> | undefined {
  return FRESHNESS[path as keyof paths];
}

function toInterval(interval: Freshness<unknown>['refetchInterval']) {
  if (typeof interval !== 'function') return interval;
  return ({ state: { data } }: { state: { data?: unknown } }) =>
    interval(data === undefined ? [] : ((data as Partial<InfiniteData<unknown>>).pages ?? [data]));
}
