/** Finds the frameworks of the catalogue that some loads have no result of; pure. */
import type { FrameworkOut } from '@/api/schema';

/** A load, and the frameworks that have a result under it or are being measured. */
export interface MeasuredLoad {
  scenario: string;
  profile: string;
  parameters: Readonly<Record<string, unknown>>;
  frameworks: readonly string[];
}

/**
 * Return the frameworks without a result in each scenario that a bench host can run.
 *
 * @param host that must run them; without it, any host.
 */
export function listUnmeasured(
  catalogue: readonly FrameworkOut[],
  loads: readonly MeasuredLoad[],
  host?: string,
): { scenario: string; frameworks: FrameworkOut[] }[] {
  return [...new Set(loads.map(({ scenario }) => scenario))].flatMap((scenario) => {
    const measured = new Set(
      loads.filter((load) => load.scenario === scenario).flatMap((load) => load.frameworks),
    );
    const frameworks = catalogue.filter(
      (framework) =>
        framework.scenarios.includes(scenario) &&
        framework.version_of === null &&
        canRun(framework, host) &&
        !measured.has(framework.slug),
    );
    return frameworks.length === 0 ? [] : [{ scenario, frameworks }];
  });
}

/** Return whether the host, or some bench host, can run a framework, or there is no host yet. */
function canRun({ digests, unavailable }: FrameworkOut, host?: string): boolean {
  const hosts = host === undefined ? Object.keys(digests) : [host];
  return hosts.some((host) => !(host in unavailable)) || Object.keys(unavailable).length === 0;
}
