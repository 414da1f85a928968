/** Turns a study into a plan for the New run page; pure. */
import type { Study } from '@/api/studies';
import { EMPTY_PLAN, type Plan, type PlanValue } from '@/lib/run-plan';

/**
 * Return the frameworks and scenarios of the quick variant as a plan. The matrix takes one profile a scenario: of
 * several loads the first; values that its cells differ in become the list that is swept.
 */
export function planOf(study: Study): Plan {
  const variant = study.variants.quick;
  const plan: Plan = { ...EMPTY_PLAN, profiles: {}, parameters: {}, title: study.name };
  if (variant === undefined) return plan;
  plan.trials = variant.trials;
  for (const cell of variant.cells) {
    plan.profiles[cell.scenario] ??= cell.profile;
    if (plan.profiles[cell.scenario] !== cell.profile) continue;
    const { framework, scenario } = cell;
    if (!plan.cells.some((cell) => cell.framework === framework && cell.scenario === scenario)) {
      plan.cells.push({ framework, scenario });
    }
    const values = (plan.parameters[scenario] ??= {});
    for (const [name, value] of Object.entries(cell.parameters)) {
      values[name] = together(values[name], value);
    }
  }
  return plan;
}

function together(known: PlanValue | undefined, value: number): PlanValue {
  if (known === undefined || known === value) return value;
  const list = typeof known === 'number' ? [known] : known;
  return list.includes(value) ? list : [...list, value];
}
