import { UnstyledButton } from '@mantine/core';
import type { RunCell } from '@/api/runs';
import { Marker } from '@/components/Marker';
import classes from './Legend.module.css';
import { isAlone, isVisible } from './visible';

interface LegendProps {
  cells: readonly RunCell[];
  /** Frameworks shown, as in the URL; empty for all. */
  only: string;
  onIsolate: (framework: string) => void;
  onToggle: (framework: string) => void;
}

/** Whose lines the charts draw: the mark hides or shows one, the name shows it alone. */
export function Legend({ cells, only, onIsolate, onToggle }: LegendProps) {
  return (
    <ul className={classes.legend} aria-label="Frameworks in the charts">
      {cells.map(({ id, framework: { slug, name, colour }, barred }) => {
        const visible = isVisible(only, slug);
        return (
          <li key={id} className={classes.entry} data-off={!visible}>
            <UnstyledButton
              className={classes.mark}
              aria-pressed={visible}
              aria-label={`Show ${name} in the charts`}
              title={visible ? `Hide ${name}` : `Show ${name}`}
              onClick={() => {
                onToggle(slug);
              }}
            >
              <Marker colour={colour} />
            </UnstyledButton>
            <UnstyledButton
              className={classes.chip}
              aria-pressed={isAlone(only, slug)}
              aria-label={`Show only ${name}`}
              title={isAlone(only, slug) ? 'Show all frameworks' : `Show only ${name}`}
              onClick={() => {
                onIsolate(slug);
              }}
            >
              {name}
              {barred && <span className={classes.barred}> barred</span>}
            </UnstyledButton>
          </li>
        );
      })}
    </ul>
  );
}
