import type { Run } from '@/api/runs';
import { Facts, shownFact } from '@/components/Facts';
import { groupFacts } from '@/lib/facts';
import classes from './Environment.module.css';
import { listOwn } from './environments';

const NAMES: Record<string, string> = {
  cpus: 'CPU sets',
  host: 'Host',
  builds: 'Builds',
  harness: 'Harness',
};

/** Lists the environment that all trials share, then what is specific to each framework. */
export function Environment({ run }: { run: Run }) {
  // The page shows these sentences once, above the results.
  const environment = { ...run.environment, cpu_sharing: undefined, isolation_notes: undefined };
  return (
    <div className={classes.groups}>
      {groupFacts({ seed_of_the_order: String(run.seed), ...environment }).map(
        ({ name, facts }) => (
          <div key={name}>
            {name !== '' && <h3 className={classes.name}>{NAMES[name] ?? name}</h3>}
            <Facts facts={facts.map(shownFact)} />
          </div>
        ),
      )}
      {listOwn(run.cells).map(({ name, facts }) => (
        <div key={name}>
          <h3 className={classes.name}>{name}</h3>
          <Facts facts={facts.map(shownFact)} />
        </div>
      ))}
    </div>
  );
}
