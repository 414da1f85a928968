import { queryOptions } from '@tanstack/react-query';
import { client, unwrap } from './client';
import type {
  Latency,
  ResponseChecksOut,
  SampleOut,
  StepOut,
  StepsOut,
  TrialDetail,
  TrialOut,
} from './schema';

export type Steps = StepsOut;
export type ResponseChecks = ResponseChecksOut;
export type { Latency, TrialDetail };
export type Step = StepOut;
export type Trial = TrialOut;
export type Sample = SampleOut;

/** Measurements of finished trials never change. */
const FINAL = { staleTime: Infinity, gcTime: 10 * 60_000 } as const;

export const trialQueries = {
  detail: (id: string) =>
    queryOptions({
      queryKey: ['trials', id],
      queryFn: ({ signal }) =>
        unwrap(
          client.GET('/api/v1/trials/{trial_id}', { params: { path: { trial_id: id } }, signal }),
        ),
      ...FINAL,
    }),
  /** Every second, warm-up included. */
  series: (id: string) =>
    queryOptions({
      queryKey: ['trials', id, 'series'],
      queryFn: ({ signal }) =>
        unwrap(
          client.GET('/api/v1/trials/{trial_id}/series', {
            params: { path: { trial_id: id }, query: { phase: 'all' } },
            signal,
          }),
        ),
      select: (series): Sample[] => series.samples,
      ...FINAL,
    }),
  /** The steps of a trial with a stepped load. */
  steps: (id: string) =>
    queryOptions({
      queryKey: ['trials', id, 'steps'],
      queryFn: ({ signal }) =>
        unwrap(
          client.GET('/api/v1/trials/{trial_id}/steps', {
            params: { path: { trial_id: id } },
            signal,
          }),
        ),
      ...FINAL,
    }),
  logs: (id: string) =>
    queryOptions({
      queryKey: ['trials', id, 'logs'],
      queryFn: ({ signal }) =>
        unwrap(
          client.GET('/api/v1/trials/{trial_id}/logs', {
            params: { path: { trial_id: id } },
            signal,
          }),
        ),
      ...FINAL,
    }),
  cellLatency: (id: string) =>
    queryOptions({
      queryKey: ['cells', id, 'latency'],
      queryFn: ({ signal }) =>
        unwrap(
          client.GET('/api/v1/cells/{cell_id}/latency', {
            params: { path: { cell_id: id } },
            signal,
          }),
        ),
      ...FINAL,
    }),
  cellHeatMap: (id: string) =>
    queryOptions({
      queryKey: ['cells', id, 'heatmap'],
      queryFn: ({ signal }) =>
        unwrap(
          client.GET('/api/v1/cells/{cell_id}/heatmap', {
            params: { path: { cell_id: id } },
            signal,
          }),
        ),
      ...FINAL,
    }),
};
