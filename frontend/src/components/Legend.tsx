import { Box, Tooltip, UnstyledButton } from '@mantine/core';
import { isAlone, isVisible } from '@/lib/visible';
import classes from './Legend.module.css';
import { LineKey } from './LineKey';

export interface LegendItem {
  /** Key in the URL. */
  key: string;
  name: string;
  colour: number;
  excluded?: boolean;
  /** Shown next to the marker, if it distinguishes lines of one colour. */
  dash?: string | undefined;
}

interface LegendProps {
  label: string;
  items: readonly LegendItem[];
  /** Keys of the shown items, as in the URL; empty for all. */
  only: string;
  onIsolate: (key: string) => void;
  onToggle: (key: string) => void;
}

/** Legend of the charts. The marker hides or shows an item; the name shows only that item. */
export function Legend({ label, items, only, onIsolate, onToggle }: LegendProps) {
  return (
    <ul className={classes.legend} aria-label={label}>
      {items.map(({ key, name, colour, excluded = false, dash }) => {
        const visible = isVisible(only, key);
        return (
          <li key={key} className={classes.entry} data-off={!visible}>
            <Tooltip label={visible ? `Hide ${name}` : `Show ${name}`}>
              <UnstyledButton
                className={classes.mark}
                aria-pressed={visible}
                aria-label={`Show ${name} in the charts`}
                onClick={() => onToggle(key)}
              >
                <LineKey colour={colour} dash={dash} />
              </UnstyledButton>
            </Tooltip>
            <Tooltip label={isAlone(only, key) ? 'Show all' : `Show only ${name}`}>
              <UnstyledButton
                className={classes.chip}
                aria-pressed={isAlone(only, key)}
                aria-label={`Show only ${name}`}
                onClick={() => onIsolate(key)}
              >
                {name}
                {excluded && (
                  <Box component="span" fz="xs" c="var(--tacho-warn)">
                    {' '}
                    excluded
                  </Box>
                )}
              </UnstyledButton>
            </Tooltip>
          </li>
        );
      })}
    </ul>
  );
}
