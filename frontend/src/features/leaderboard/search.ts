/** What the leaderboard's URL holds. */

export const LEADERBOARD_KEYS = [
  'scenario',
  'host',
  'profile',
  'runtime',
  'metric',
  'weights',
  'board',
  /** Results ticked to compare, by comma. */
  'picked',
] as const;

export type LeaderboardSearch = Partial<Record<(typeof LEADERBOARD_KEYS)[number], string>>;
