import type { Icon } from '@tabler/icons-react';
import classes from './IconBadge.module.css';

export interface BadgeLook {
  readonly icon: Icon;
  readonly tone: 'accent' | 'good' | 'warn' | 'bad' | 'ink' | 'quiet';
}

interface IconBadgeProps {
  look: BadgeLook;
  text: string;
  /** Shows only the icon; the text is for screen readers and the tooltip. */
  compact?: boolean;
}

/** Shows a state as an icon and a word in the colour of its tone. */
export function IconBadge({ look: { icon: Icon, tone }, text, compact = false }: IconBadgeProps) {
  return (
    <span className={classes.badge} data-tone={tone} title={compact ? text : undefined}>
      <Icon size={14} stroke={2} aria-hidden />
      <span className={compact ? classes.hidden : undefined}>{text}</span>
    </span>
  );
}
