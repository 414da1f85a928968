import { queryOptions } from '@tanstack/react-query';
import { client, unwrap } from './client';
import type { PresetOut } from './schema';

export type Preset = PresetOut;

export const presetQueries = {
  /** Suggested runs that can run here: common questions first, then studies. */
  list: () =>
    queryOptions({
      queryKey: ['presets'],
      queryFn: ({ signal }) => unwrap(client.GET('/api/v1/presets', { signal })),
      select: (page): Preset[] => page.items,
      staleTime: 60_000,
    }),
};
