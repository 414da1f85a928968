import { VisuallyHidden } from '@mantine/core';
import { api } from '@/api/client';
import classes from './OpenChanges.module.css';

/** Shows the number of open changes next to a link to them. Draws nothing without any. */
export function OpenChanges() {
  const open = api.useQuery('get', '/api/v1/open-incidents').data?.open ?? 0;
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
  const open = api.useQuery('get', '/api/v1/open-incidents').data?.open ?? 0;
  return open === 0 ? null : <span className={classes.mark} aria-hidden />;
}
