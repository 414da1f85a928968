import { Link } from '@tanstack/react-router';
import type { ScenarioOut } from '@/api/schema';
import ui from '@/components/ui.module.css';
import { formatCount } from '@/lib/format';
import classes from './ScenarioList.module.css';

export function ScenarioList({ scenarios }: { scenarios: readonly ScenarioOut[] }) {
  return (
    <ul className={ui.rows}>
      {scenarios.map((scenario) => (
        <li key={scenario.slug} className={classes.row}>
          <Link to="/scenarios/$slug" params={{ slug: scenario.slug }} className={ui.link}>
            {scenario.name}
          </Link>
          <span>{scenario.description}</span>
          <span className={ui.quiet}>{formatCount(scenario.frameworks.length, 'framework')}</span>
        </li>
      ))}
    </ul>
  );
}
