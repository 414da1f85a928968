import { useMantineColorScheme } from '@mantine/core';
import { useRouterState } from '@tanstack/react-router';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { api } from '@/api/client';
import { docsQuery } from '@/lib/docs/lazy';
import {
  choiceItem,
  docsItems,
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
/** Items are only names, which change rarely. */
const ONCE = { refetchInterval: false } as const;

interface Found {
  items: PaletteItem[];
  isLoading: boolean;
  /** Why items are missing. */
  error: Error | null;
}

/** Return all items; those that are not loaded are left out. */
export function usePaletteItems(text: string): Found {
  const runs = api.useQuery(
    'get',
    '/api/v1/runs',
    { params: { query: { limit: MOST_RUNS } } },
    ONCE,
  );
  const frameworks = api.useQuery('get', '/api/v1/frameworks');
  const scenarios = api.useQuery('get', '/api/v1/scenarios');
  const studies = api.useQuery('get', '/api/v1/studies');
  const hosts = api.useQuery('get', '/api/v1/hosts', {}, ONCE);
  const metrics = api.useQuery('get', '/api/v1/metrics');
  const presets = api.useQuery('get', '/api/v1/presets');
  const docs = useQuery(docsQuery);
  const { setColorScheme } = useMantineColorScheme();
  const here = useRouterState({ select: ({ location }) => location.href });
  const all = [runs, frameworks, scenarios, studies, hosts, metrics, presets, docs];
  const known = useMemo(() => {
    const newest = runs.data?.items ?? [];
    const items = [
      ...pageItems(),
      ...runItems(newest, runs.dataUpdatedAt),
      ...frameworkItems(frameworks.data?.items ?? []),
      ...newRunItems(frameworks.data?.items ?? [], scenarios.data?.items ?? []),
      ...scenarioItems(scenarios.data?.items ?? []),
      ...studyItems(studies.data?.items ?? []),
      ...hostItems(hosts.data?.items ?? []),
      ...metricItems(metrics.data?.items ?? []),
      ...presetItems(presets.data?.items ?? []),
      ...docsItems(docs.data?.pages ?? [], docs.data?.terms ?? []),
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
    docs.data,
    here,
    setColorScheme,
  ]);
  return {
    items: [
      ...choiceItem(text, frameworks.data?.items ?? [], scenarios.data?.items ?? []),
      ...known.items,
      ...slugItem(text, known.newest),
    ],
    isLoading: all.some((query) => query.isLoading),
    error: all.find((query) => query.error)?.error ?? null,
  };
}
