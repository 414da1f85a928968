import type { Icon } from '@tabler/icons-react';
import classes from './ToneBadge.module.css';

interface ToneBadgeProps {
  icon: Icon;
  tone: 'good' | 'warn' | 'bad' | 'caution' | 'quiet';
  text: string;
}

/** Shows a judgement as an icon and words on the colour of its tone. */
export function ToneBadge({ icon: Icon, tone, text }: ToneBadgeProps) {
  return (
    <span className={classes.badge} data-tone={tone}>
      <Icon size={12} stroke={2.2} aria-hidden />
      {text}
    </span>
  );
}
