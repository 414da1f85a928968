import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { asDone, client, unwrap } from './client';
import type { ScheduledRunOut, RunIn, ScheduleOut, SchedulePatch } from './schema';

export type Schedule = ScheduleOut;
export type ScheduledRun = ScheduledRunOut;

export interface Timing {
  cron: string;
  time_zone: string;
}

export interface NewSchedule extends Timing {
  name: string;
  run: Omit<RunIn, 'purpose'>;
}

const RENEW_MS = 10_000;

export const scheduleQueries = {
  list: () =>
    queryOptions({
      queryKey: ['schedules'],
      queryFn: ({ signal }) => unwrap(client.GET('/api/v1/schedules', { signal })),
      select: (page): Schedule[] => page.items,
      refetchInterval: RENEW_MS,
    }),
  one: (id: string) =>
    queryOptions({
      queryKey: ['schedules', 'one', id],
      queryFn: ({ signal }) =>
        unwrap(client.GET('/api/v1/schedules/{schedule_id}', { ...at(id), signal })),
      refetchInterval: RENEW_MS,
    }),
  preview: (timing: Timing) =>
    queryOptions({
      queryKey: ['schedules', 'preview', timing],
      queryFn: ({ signal }) =>
        unwrap(client.GET('/api/v1/schedule-times', { params: { query: timing }, signal })),
      staleTime: 60_000,
      retry: false,
    }),
};

export function useCreateSchedule() {
  return useScheduleMutation((asked: NewSchedule) =>
    unwrap(
      client.POST('/api/v1/schedules', {
        body: { ...asked, run: { ...asked.run, purpose: 'comparison' } },
      }),
    ),
  );
}

export function useChangeSchedule(id: string) {
  return useScheduleMutation((body: SchedulePatch) =>
    unwrap(client.PATCH('/api/v1/schedules/{schedule_id}', { ...at(id), body })),
  );
}

export function useDeleteSchedule(id: string) {
  return useScheduleMutation(() =>
    unwrap(client.DELETE('/api/v1/schedules/{schedule_id}', at(id)).then(asDone)),
  );
}

export function useRunSchedule(id: string) {
  return useScheduleMutation(() =>
    unwrap(client.POST('/api/v1/schedules/{schedule_id}/run', at(id))),
  );
}

function at(id: string) {
  return { params: { path: { schedule_id: id } } };
}

function useScheduleMutation<Asked, Answered>(ask: (asked: Asked) => Promise<Answered>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ask,
    onSettled: () =>
      Promise.all(
        [['schedules'], ['runs']].map((queryKey) => queries.invalidateQueries({ queryKey })),
      ),
  });
}
