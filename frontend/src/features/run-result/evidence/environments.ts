/** Finds the part of an environment that is specific to a framework; pure. */
import type { CellOut } from '@/api/schema';
import { type Fact, toFacts } from '@/lib/facts';
import { joinWords } from '@/lib/format';

interface Own {
  name: string;
  facts: Fact[];
}

/** Return one block per framework, or one per scenario where its cells differ. */
export function listOwn(
  cells: readonly Pick<CellOut, 'framework' | 'scenario' | 'environment'>[],
): Own[] {
  const blocks = new Map<string, { framework: string; scenarios: Set<string>; facts: Fact[] }>();
  for (const { framework, scenario, environment: whole } of cells) {
    // The page shows the networks of load hosts once, as medians of all trials.
    const environment = { ...whole, load_hosts: undefined };
    const facts = toFacts(environment);
    if (facts.length === 0) continue;
    const key = JSON.stringify([framework.slug, environment]);
    const block = blocks.get(key) ?? { framework: framework.name, scenarios: new Set(), facts };
    block.scenarios.add(scenario.name);
    blocks.set(key, block);
  }
  const found = [...blocks.values()];
  return found.map(({ framework, scenarios, facts }) => {
    const isOnly = found.filter((item) => item.framework === framework).length === 1;
    return { name: isOnly ? framework : `${framework}: ${joinWords([...scenarios])}`, facts };
  });
}
