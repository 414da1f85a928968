/** Cells of a run, for tests. */
import type { CellOut, MetricSummary, RunOut } from '@/api/schema';

export interface Spec {
  name: string;
  value?: [number, number | null, number | null];
  excluded?: boolean;
  profile?: string;
  parameters?: Record<string, number>;
  n?: number;
}

export function cell({
  name,
  value,
  excluded = false,
  profile = 'rate-quick',
  parameters,
  n = 5,
}: Spec) {
  const [estimate, low, high] = value ?? [0, null, null];
  const summary: MetricSummary = { estimate, low, high, unit: 'µs', n, direction: 'lower' };
  return {
    id: parameters ? `${name} ${JSON.stringify(parameters)}` : name,
    framework: { slug: name, name, colour: 0 },
    scenario: { slug: 'hello', name: 'Hello' },
    profile,
    kind: 'rate',
    parameters: parameters ?? { rate_rps: 1000, duration_seconds: 10 },
    excluded,
    trials_failed: value || excluded ? 0 : 2,
    verdicts: excluded
      ? [
          { verdict: 'host_busy', excludes_from_ranking: false },
          { verdict: 'generator_saturated', excludes_from_ranking: true },
        ]
      : [],
    summary: value ? { cpu_us_per_request: summary } : {},
  } as unknown as CellOut;
}

export const METRIC = 'cpu_us_per_request';

/** A run of these groups; with a parameter, they are one sweep in this order. */
export function runOf(groups: CellOut[][], parameter: string | null = null): RunOut {
  const listed = groups.map((cells, index) => ({
    key: `group-${index}`,
    scenario: cells[0]?.scenario,
    profile: cells[0]?.profile,
    kind: cells[0]?.kind,
    parameters: cells[0]?.parameters,
    cells: cells.map(({ id }) => id),
  }));
  const keys = listed.map(({ key }) => key);
  const bundles = parameter === null ? keys.map((key) => [key]) : [keys];
  const blocks = bundles.map((members) => ({
    key: members[0],
    label: members[0],
    parameter,
    groups: members,
  }));
  return { environment: {}, cells: groups.flat(), groups: listed, blocks } as unknown as RunOut;
}
