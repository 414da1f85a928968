import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { client, unwrap } from './client';
import { isFinished } from './runs';
import type {
  CheckOut,
  ClaimOut,
  FigureComparisonOut,
  FindingCause,
  OrderOut,
  ReproduceIn,
  StudyListItem,
  StudyOut,
  StudyRun,
  SystemUnderTestOut,
  TableCell,
  TableOut,
  VariantOut,
} from './schema';

export type { FindingCause, StudyListItem, StudyRun };
export type Study = StudyOut;
export type StudyTable = TableOut;
export type StudyCell = TableCell;
export type StudyFigure = FigureComparisonOut;
export type StudyOrder = OrderOut;
export type StudyClaim = ClaimOut;
export type StudyCheck = CheckOut;
export type SystemUnderTest = SystemUnderTestOut;
export type StudyVariant = VariantOut;
export type Variant = ReproduceIn['variant'];

/** An active reproduction adds results with every trial. */
const WATCH_MS = 5000;

export const studyQueries = {
  list: () =>
    queryOptions({
      queryKey: ['studies'],
      queryFn: ({ signal }) => unwrap(client.GET('/api/v1/studies', { signal })),
      select: (page): StudyListItem[] => page.items,
    }),
  /** `run` selects the reproduction to compare with. */
  one: (slug: string, run: string | undefined) =>
    queryOptions({
      queryKey: ['studies', slug, run ?? ''],
      queryFn: ({ signal }) =>
        unwrap(
          client.GET('/api/v1/studies/{slug}', {
            params: { path: { slug }, query: run === undefined ? {} : { run } },
            signal,
          }),
        ),
      refetchInterval: (query) =>
        query.state.data?.runs.some((run) => !isFinished(run.status)) ? WATCH_MS : false,
    }),
};

export function useReproduce(slug: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (variant: Variant) =>
      unwrap(
        client.POST('/api/v1/studies/{slug}/reproduce', {
          params: { path: { slug } },
          body: { variant, visibility: 'unlisted' },
        }),
      ),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: ['studies'] });
      void queries.invalidateQueries({ queryKey: ['runs'] });
    },
  });
}
