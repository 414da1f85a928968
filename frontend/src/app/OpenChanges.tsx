import { VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { incidentQueries } from '@/api/incidents';
import classes from './OpenChanges.module.css';

/** Shows the number of open changes next to a link to them. Draws nothing without any. */
export function OpenChanges() {
  const { data: open = 0 } = useQuery(incidentQueries.open());
  if (open === 0) return null;
  return (
    <>
      <span className={classes.count} aria-hidden>
        {open > 99 ? '99+' : open}
      </span>
      <VisuallyHidden>{`${open} open`}</VisuallyHidden>
    </>
  );
}

/** Marks the button of the menu while there are open changes. */
export function OpenChangesMark() {
  const { data: open = 0 } = useQuery(incidentQueries.open());
  return open === 0 ? null : <span className={classes.mark} aria-hidden />;
}
