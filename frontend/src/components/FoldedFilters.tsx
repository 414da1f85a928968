import { Button } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconAdjustmentsHorizontal } from '@tabler/icons-react';
import { type ReactNode, useId, useState } from 'react';
import classes from './FoldedFilters.module.css';

const PHONE = '(max-width: 48em)';

interface FoldedFiltersProps {
  /** The selected filters, in a few words each. */
  summary: readonly (string | null | undefined)[];
  children: ReactNode;
}

/** Shows filters. On a phone they are folded into one button that names the selection. */
export function FoldedFilters({ summary, children }: FoldedFiltersProps) {
  const isPhone = useMediaQuery(PHONE, false, { getInitialValueInEffect: false });
  const [isOpen, setIsOpen] = useState(false);
  const id = useId();
  if (!isPhone) return <div className={classes.filters}>{children}</div>;
  return (
    <>
      <Button
        mb="md"
        variant="default"
        fullWidth
        justify="space-between"
        rightSection={<IconAdjustmentsHorizontal size={16} aria-hidden />}
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setIsOpen(!isOpen)}
      >
        <span className={classes.summary}>{summary.filter(Boolean).join(' · ') || 'Filters'}</span>
      </Button>
      <div id={id} className={classes.filters} hidden={!isOpen}>
        {children}
      </div>
    </>
  );
}
