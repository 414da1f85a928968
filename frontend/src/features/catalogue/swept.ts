import type { LatestResult } from '@/api/schema';

/** Return the parameters that differ between results of the same scenario, profile and host. */
export function findSwept(result: LatestResult, results: readonly LatestResult[]): string[] {
  const { cell, host } = result;
  const siblings = results.filter(
    (result) =>
      result.host === host &&
      result.cell.profile === cell.profile &&
      result.cell.scenario.slug === cell.scenario.slug,
  );
  return Object.keys(cell.parameters).filter((name) =>
    siblings.some((result) => result.cell.parameters[name] !== cell.parameters[name]),
  );
}
