/** Places the errors of the server next to the fields of the form; pure. */
import { explainProblem } from '@/lib/entries';
import type { Plan } from '@/lib/run-plan';

/** Errors of the server by the field that shows them. */
export interface PlacedProblems {
  /** `scenario.parameter`, `scenario`, `scenario.framework` or a field of the run to text. */
  at: Record<string, string>;
  /** Errors without a field. */
  rest: string[];
}

export function placeProblems(
  plan: Plan,
  problems: readonly { field: string; detail: string }[],
): PlacedProblems {
  const placed: PlacedProblems = { at: {}, rest: [] };
  for (const { field, detail } of problems) {
    const place = placeOf(plan, field);
    if (place === null) placed.rest.push(`${field}: ${detail}`);
    else placed.at[place] = explainProblem(detail);
  }
  return placed;
}

const RUN_FIELDS = [
  'trials',
  'until',
  'max_trials',
  'max_minutes',
  'host',
  'hosts',
  'load_hosts',
  'title',
];

function placeOf(plan: Plan, field: string): string | null {
  if (RUN_FIELDS.includes(field)) return field;
  const [noun, index, key, name] = field.split('.');
  if (noun === 'load_hosts') return noun;
  const cell = noun === 'cells' ? plan.cells[Number(index)] : undefined;
  if (cell === undefined) return null;
  if (key === 'parameters' && name !== undefined) return `${cell.scenario}.${name}`;
  if (key === 'framework') return `${cell.scenario}.${cell.framework}`;
  return cell.scenario;
}
