import { VisuallyHidden } from '@mantine/core';
import type { Icon } from '@tabler/icons-react';
import { Hint } from './Hint';
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
  const badge = (
    <span className={classes.badge} data-tone={tone}>
      <Icon size={14} stroke={2} aria-hidden />
      {compact ? <VisuallyHidden>{text}</VisuallyHidden> : text}
    </span>
  );
  return compact ? <Hint text={text}>{badge}</Hint> : badge;
}
