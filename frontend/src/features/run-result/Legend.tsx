import { UnstyledButton } from '@mantine/core';
import type { RunCell } from '@/api/runs';
import { MarkedName } from '@/components/Marker';
import classes from './Legend.module.css';

interface LegendProps {
  cells: readonly RunCell[];
  /** Framework shown alone; empty for all. */
  only: string;
  onIsolate: (framework: string) => void;
}

/** Whose lines the charts draw; pressing one shows it alone, pressing it again shows all. */
export function Legend({ cells, only, onIsolate }: LegendProps) {
  return (
    <ul className={classes.legend} aria-label="Frameworks in the charts">
      {cells.map(({ id, framework, barred }) => (
        <li key={id}>
          <UnstyledButton
            className={classes.chip}
            aria-pressed={only === framework.slug}
            data-off={only !== '' && only !== framework.slug}
            onClick={() => {
              onIsolate(only === framework.slug ? '' : framework.slug);
            }}
          >
            <MarkedName {...framework} />
            {barred && <span className={classes.barred}> barred</span>}
          </UnstyledButton>
        </li>
      ))}
    </ul>
  );
}
