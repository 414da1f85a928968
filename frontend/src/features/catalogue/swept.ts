import type { LatestResult } from '@/api/frameworks';

/** The parameters by which a result differs from others of its scenario, profile and host. */
export function findSwept(result: LatestResult, results: readonly LatestResult[]): string[] {
  const { cell, host } = result;
  const beside = results.filter(
    (result) =>
      result.host === host &&
      result.cell.profile === cell.profile &&
      result.cell.scenario.slug === cell.scenario.slug,
  );
  return Object.keys(cell.parameters).filter((name) =>
    beside.some((result) => result.cell.parameters[name] !== cell.parameters[name]),
  );
}
