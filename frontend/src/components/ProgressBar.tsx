import { Box } from '@mantine/core';
import classes from './ProgressBar.module.css';

interface ProgressBarProps {
  /** 0 to 1. */
  share: number;
  label: string;
}

export function ProgressBar({ share, label }: ProgressBarProps) {
  const percent = Math.round(Math.min(1, Math.max(0, share)) * 100);
  return (
    <div
      className={classes.track}
      role="progressbar"
      aria-label={label}
      aria-valuenow={percent}
      aria-valuemin={0}
      aria-valuemax={100}
    >
      <Box h="100%" bg="var(--tacho-accent)" style={{ width: `${percent}%` }} />
    </div>
  );
}
