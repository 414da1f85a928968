import { Box } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import classes from './Notice.module.css';

/** A short message that screen readers announce when it appears. */
export function Notice({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className={classes.notice} role="status">
      <IconAlertTriangle size={16} aria-hidden className={classes.icon} />
      <Box flex={1} miw={0}>
        <strong>{title}.</strong> {children}
      </Box>
    </div>
  );
}
