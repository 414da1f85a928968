import { queryOptions } from '@tanstack/react-query';
import { client, unwrap } from './client';
import type { ApartOut, EntryOut, LeaderboardOut, Metric, RuntimeKind } from './schema';

export type Leaderboard = LeaderboardOut;
export type LeaderboardEntry = EntryOut;
export type ApartResult = ApartOut;

/** The server fills in missing fields from the newest valid result. */
export interface LeaderboardQuery {
  scenario?: string;
  host?: string;
  profile?: string;
  runtime?: RuntimeKind;
  metric?: Metric;
  /** `cpu_us_per_request:2,latency_p99_ms:1`. */
  weights?: string;
  board?: string;
}

export const leaderboardQueries = {
  one: (query: LeaderboardQuery) =>
    queryOptions({
      queryKey: ['leaderboard', query],
      queryFn: ({ signal }) =>
        unwrap(client.GET('/api/v1/leaderboard', { params: { query }, signal })),
      placeholderData: (before) => before,
    }),
};
