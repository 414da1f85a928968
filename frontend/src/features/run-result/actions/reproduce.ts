/** Shell commands that repeat a run. */
import type { RunOut } from '@/api/schema';
import { TACHO } from '@/lib/shell';

function trialFields({ goal, trials_per_cell: trials }: RunOut) {
  if (!goal) return { trials };
  const { until, max_trials, max_minutes } = goal;
  return { until, max_trials, max_minutes };
}

/** Return a `curl` command that requests the same cells, parameters and order of trials. */
export function curlCommand(run: RunOut, origin: string): string {
  const body = {
    title: run.title,
    cells: run.cells.map((cell) => ({
      framework: cell.framework.slug,
      scenario: cell.scenario.slug,
      profile: cell.profile,
      parameters: cell.parameters,
      ...(cell.framework_digest && {
        framework_digest: cell.framework_digest.slice(0, DIGEST_CHARACTERS),
      }),
    })),
    seed: run.seed,
    ...trialFields(run),
  };
  return [
    `curl -sS -X POST ${origin}/api/v1/runs \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d '${JSON.stringify(body, null, 2).replaceAll("'", `'\\''`)}'`,
  ].join('\n');
}

/** Characters of a digest that a command contains. */
const DIGEST_CHARACTERS = 12;

/** The versions that a run was measured with. */
export interface Origin {
  /** Git commit; null if the installation had none, such as an image. */
  commit: string | null;
  /** Whether files differed from the commit. */
  wasChanged: boolean;
  version: string | null;
  /** Names and digests of the frameworks, each once. */
  frameworks: { name: string; digest: string }[];
}

export function originOf(run: RunOut): Origin {
  const { commit, harness } = run.environment as {
    commit?: string;
    harness?: Record<string, string>;
  };
  const digests = new Map(
    run.cells.flatMap(({ framework, framework_digest: digest }) =>
      digest ? [[framework.name, digest.slice(0, DIGEST_CHARACTERS)] as const] : [],
    ),
  );
  return {
    commit: commit?.replace(/-dirty$/, '') ?? null,
    wasChanged: commit?.endsWith('-dirty') ?? false,
    version: harness?.tacho ?? null,
    frameworks: [...digests].map(([name, digest]) => ({ name, digest })),
  };
}

/**
 * Return the commands that repeat a run on any Tacho: check out its commit, then request its cells. The request is
 * refused if a framework has changed.
 */
export function shellCommand(run: RunOut, origin: string): string {
  const { commit } = originOf(run);
  const checkout = commit === null ? [] : [`git checkout ${commit}`];
  return [...checkout, `${TACHO} rerun ${origin}/r/${run.slug} --wait`].join('\n');
}
