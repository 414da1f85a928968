/** Rules about runs. */
import type { RunOut, RunOutcome, RunSort, RunStatus, Suffix } from './schema';

export const RUN_STATUSES = [
  'queued',
  'running',
  'succeeded',
  'failed',
  'cancelled',
] as const satisfies readonly RunStatus[];

export const RUN_OUTCOMES = [
  'usable',
  'usable_with_warnings',
  'not_usable',
] as const satisfies readonly RunOutcome[];

/** The orders of a list of runs. The first one is the default. */
export const RUN_ORDERS = [
  'newest',
  'oldest',
  'title',
  'longest',
] as const satisfies readonly RunSort[];

export function isFinished(status: RunStatus): boolean {
  return status !== 'queued' && status !== 'running';
}

/** Grey for the old build, unless the framework itself has this colour. */
const OLD_COLOUR = 7;

/** A confirmation run's two cells are one framework: each build gets its own name in the URL and its colour. */
export function tellBuildsApart(run: RunOut): RunOut {
  if (run.purpose !== 'confirmation') return run;
  const cells = run.cells.map((cell, index) => {
    const { framework } = cell;
    if (index > 0) return cell;
    const colour = framework.colour === OLD_COLOUR ? OLD_COLOUR + 1 : OLD_COLOUR;
    return { ...cell, framework: { ...framework, slug: `${framework.slug}.old`, colour } };
  });
  return { ...run, cells };
}

/** Return the URL of an export. */
export function exportUrl(id: string, format: Suffix): string {
  return `/api/v1/runs/${encodeURIComponent(id)}/export.${format}`;
}
