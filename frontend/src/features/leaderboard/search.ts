/** URL parameters of the leaderboard. */

export const LEADERBOARD_KEYS = [
  'scenario',
  'host',
  'profile',
  'runtime',
  'metric',
  'weights',
  'board',
  /** Results ticked to compare, separated by commas. */
  'picked',
] as const;

export type LeaderboardSearch = Partial<Record<(typeof LEADERBOARD_KEYS)[number], string>>;
