/** Shell commands that repeat a run. */
import type { Run } from '@/api/runs';
import { TACHO } from '@/lib/shell';
import { listGroups } from '@/features/run-result/selection/groups';

function trialFields({ goal, trials_per_cell: trials }: Run) {
  if (!goal) return { trials };
  const { until, max_trials, max_minutes } = goal;
  return { until, max_trials, max_minutes };
}

function trialOptions({ goal, trials_per_cell: trials }: Run): string {
  if (!goal) return `--trials ${trials}`;
  const { until } = goal;
  const text = until === 'ranked' ? until : `${until.metric}:${until.precision_percent}%`;
  return `--until ${text} --max-trials ${goal.max_trials} --max-minutes ${goal.max_minutes}`;
}

/** Return a `curl` command that requests the same cells, parameters and trials. */
export function curlCommand(run: Run, origin: string): string {
  const body = {
    title: run.title,
    cells: run.cells.map((cell) => ({
      framework: cell.framework.slug,
      scenario: cell.scenario.slug,
      profile: cell.profile,
      parameters: cell.parameters,
    })),
    ...trialFields(run),
  };
  return [
    `curl -sS -X POST ${origin}/api/v1/runs \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d '${JSON.stringify(body, null, 2).replaceAll("'", `'\\''`)}'`,
  ].join('\n');
}

/** Return one `tacho run` command per group, because it takes one profile and one set of parameters. */
export function shellCommand(run: Run): string {
  return listGroups(run)
    .map((group) => {
      const frameworks = group.cells.map((cell) => cell.framework.slug).join(' ');
      const parameters = Object.entries(group.parameters)
        .map(([name, value]) => `--param ${name}=${value}`)
        .join(' ');
      return [
        `${TACHO} run ${frameworks} --scenario ${group.scenario.slug} --profile ${group.profile} \\`,
        `  ${parameters} ${trialOptions(run)} --wait`,
      ].join('\n');
    })
    .join('\n\n');
}
