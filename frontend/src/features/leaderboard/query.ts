/** Requests of the leaderboard, which its loader starts too. */
import { keepPreviousData } from '@tanstack/react-query';
import { api } from '@/api/client';
import type { operations } from '@/api/schema';

type Query = NonNullable<operations['get_leaderboard']['parameters']['query']>;

/** Return the parameters of the URL that name a board. The server chooses what is missing. */
export function leaderboardParameters(search: Query): Query {
  const { scenario, metric, host, profile, runtime, weights, board } = search;
  return { scenario, metric, host, profile, runtime, weights, board };
}

export function leaderboardQuery(query: Query) {
  return api.queryOptions(
    'get',
    '/api/v1/leaderboard',
    { params: { query } },
    { placeholderData: keepPreviousData },
  );
}
