import { Box } from '@mantine/core';

interface ProgressBarProps {
  /** 0 to 1. */
  share: number;
  label: string;
}

export function ProgressBar({ share, label }: ProgressBarProps) {
  const percent = Math.round(Math.min(1, Math.max(0, share)) * 100);
  return (
    <Box
      flex={1}
      miw={48}
      h={4}
      bdrs={2}
      bg="var(--tacho-line)"
      style={{ overflow: 'hidden' }}
      role="progressbar"
      aria-label={label}
      aria-valuenow={percent}
      aria-valuemin={0}
      aria-valuemax={100}
    >
      <Box h="100%" bg="var(--tacho-accent)" style={{ width: `${percent}%` }} />
    </Box>
  );
}
