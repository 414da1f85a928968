import { Link } from '@tanstack/react-router';
import type { Scenario } from '@/api/scenarios';
import { formatCount } from '@/lib/format';
import classes from './ScenarioList.module.css';

export function ScenarioList({ scenarios }: { scenarios: readonly Scenario[] }) {
  return (
    <ul className={classes.list}>
      {scenarios.map((scenario) => (
        <li key={scenario.slug} className={classes.row}>
          <Link to="/scenarios/$slug" params={{ slug: scenario.slug }} className={classes.name}>
            {scenario.name}
          </Link>
          <span>{scenario.description}</span>
          <span className={classes.quiet}>
            {formatCount(scenario.frameworks.length, 'framework')}
          </span>
        </li>
      ))}
    </ul>
  );
}
