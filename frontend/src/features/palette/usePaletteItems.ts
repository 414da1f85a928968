import { useMantineColorScheme } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useRouterState } from '@tanstack/react-router';
import { useMemo } from 'react';
import { frameworkQueries } from '@/api/frameworks';
import { hostQueries } from '@/api/hosts';
import { metricQueries } from '@/api/metrics';
import { presetQueries } from '@/api/presets';
import { runQueries } from '@/api/runs';
import { scenarioQueries } from '@/api/scenarios';
import { studyQueries } from '@/api/studies';
import {
  frameworkItems,
  hostItems,
  metricItems,
  newRunItems,
  pageItems,
  presetItems,
  runItems,
  scenarioItems,
  slugItem,
  studyItems,
  themeItems,
} from './items';
import type { PaletteItem } from './rank';

const MOST_RUNS = 100;

interface Found {
  items: PaletteItem[];
  isLoading: boolean;
  /** Why items are missing. */
  error: Error | null;
}

/** Return all items; those that are not loaded are left out. */
export function usePaletteItems(text: string): Found {
  const runs = useInfiniteQuery(runQueries.pages({}, MOST_RUNS));
  const frameworks = useQuery(frameworkQueries.list());
  const scenarios = useQuery(scenarioQueries.list());
  const studies = useQuery(studyQueries.list());
  const hosts = useQuery(hostQueries.list());
  const metrics = useQuery(metricQueries.list());
  const presets = useQuery(presetQueries.list());
  const { setColorScheme } = useMantineColorScheme();
  const here = useRouterState({ select: ({ location }) => location.href });
  const all = [runs, frameworks, scenarios, studies, hosts, metrics, presets];
  const known = useMemo(() => {
    const newest = runs.data?.pages.flatMap((page) => page.items) ?? [];
    const items = [
      ...pageItems(),
      ...runItems(newest, runs.dataUpdatedAt),
      ...frameworkItems(frameworks.data ?? []),
      ...newRunItems(frameworks.data ?? [], scenarios.data ?? []),
      ...scenarioItems(scenarios.data ?? []),
      ...studyItems(studies.data ?? []),
      ...hostItems(hosts.data ?? []),
      ...metricItems(metrics.data ?? []),
      ...presetItems(presets.data ?? []),
      ...themeItems(here, setColorScheme),
    ];
    return { newest, items };
  }, [
    runs.data,
    runs.dataUpdatedAt,
    frameworks.data,
    scenarios.data,
    studies.data,
    hosts.data,
    metrics.data,
    presets.data,
    here,
    setColorScheme,
  ]);
  return {
    items: [...known.items, ...slugItem(text, known.newest)],
    isLoading: all.some((query) => query.isLoading),
    error: all.find((query) => query.error)?.error ?? null,
  };
}
