import { UnstyledButton } from '@mantine/core';
import { seriesColour } from '@/lib/tokens';
import { isAlone, isVisible } from '@/lib/visible';
import classes from './Legend.module.css';
import { Marker } from './Marker';

export interface LegendItem {
  /** As it stands in the URL. */
  key: string;
  name: string;
  colour: number;
  excluded?: boolean;
  /** Shown beside the mark, where lines of one colour are told apart by it. */
  dash?: string | undefined;
}

interface LegendProps {
  label: string;
  items: readonly LegendItem[];
  /** Those shown, as in the URL; empty for all. */
  only: string;
  onIsolate: (key: string) => void;
  onToggle: (key: string) => void;
}

/** Whose lines the charts draw: the mark hides or shows one, the name shows it alone. */
export function Legend({ label, items, only, onIsolate, onToggle }: LegendProps) {
  return (
    <ul className={classes.legend} aria-label={label}>
      {items.map(({ key, name, colour, excluded = false, dash }) => {
        const visible = isVisible(only, key);
        return (
          <li key={key} className={classes.entry} data-off={!visible}>
            <UnstyledButton
              className={classes.mark}
              aria-pressed={visible}
              aria-label={`Show ${name} in the charts`}
              title={visible ? `Hide ${name}` : `Show ${name}`}
              onClick={() => {
                onToggle(key);
              }}
            >
              {dash !== undefined && <Dash colour={colour} dash={dash} />}
              <Marker colour={colour} />
            </UnstyledButton>
            <UnstyledButton
              className={classes.chip}
              aria-pressed={isAlone(only, key)}
              aria-label={`Show only ${name}`}
              title={isAlone(only, key) ? 'Show all' : `Show only ${name}`}
              onClick={() => {
                onIsolate(key);
              }}
            >
              {name}
              {excluded && <span className={classes.excluded}> excluded</span>}
            </UnstyledButton>
          </li>
        );
      })}
    </ul>
  );
}

function Dash({ colour, dash }: { colour: number; dash: string }) {
  return (
    <svg width="24" height="12" aria-hidden>
      <line
        x1="0"
        x2="24"
        y1="6"
        y2="6"
        stroke={seriesColour(colour)}
        strokeWidth="2"
        strokeDasharray={dash}
      />
    </svg>
  );
}
