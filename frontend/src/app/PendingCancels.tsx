import { Box, Button, VisuallyHidden } from '@mantine/core';
import { useEffect, useEffectEvent } from 'react';
import { api } from '@/api/client';
import { formatDuration } from '@/lib/format';
import { useNow } from '@/lib/hooks';
import { forgetCancel, type PendingCancel, usePendingCancels } from '@/lib/pending-cancels';
import classes from './PendingCancels.module.css';

/**
 * Shows cancellations that can be undone, on every page, and sends them when their time is over.
 * Nothing is sent before. The browser asks before it closes the tab, which would forget them.
 */
export function PendingCancels() {
  const pending = usePendingCancels();
  if (pending.length === 0) return null;
  return (
    <aside className={classes.bar} aria-label="Cancellations">
      {pending.map((cancel) => (
        <Pending key={cancel.name} cancel={cancel} />
      ))}
    </aside>
  );
}

/** Let the browser ask before it closes the tab. */
function askBefore(event: BeforeUnloadEvent): void {
  event.preventDefault();
}

function Pending({ cancel: { kind, name, title, dueMs } }: { cancel: PendingCancel }) {
  const run = api.useMutation('post', '/api/v1/runs/{run_id}/cancel');
  const group = api.useMutation('post', '/api/v1/run-groups/{group}/cancel');
  const sending = kind === 'run' ? run : group;
  const now = useNow(1000);
  const send = useEffectEvent(() => {
    const options = {
      onSuccess: () => forgetCancel(name),
    };
    if (kind === 'run') run.mutate({ params: { path: { run_id: name } } }, options);
    else group.mutate({ params: { path: { group: name } } }, options);
  });
  useEffect(() => {
    const timer = setTimeout(send, dueMs - Date.now());
    return () => clearTimeout(timer);
  }, [dueMs]);
  useEffect(() => {
    if (!sending.isIdle) return undefined;
    window.addEventListener('beforeunload', askBefore);
    return () => window.removeEventListener('beforeunload', askBefore);
  }, [sending.isIdle]);
  const close = () => forgetCancel(name);
  return (
    <div className={classes.pending}>
      <span role="status">
        {sending.error ? (
          <>
            <strong>{title}</strong> was not cancelled: {sending.error.message}
          </>
        ) : (
          <>
            Cancelling <strong>{title}</strong>
            <VisuallyHidden> in ten seconds</VisuallyHidden>
          </>
        )}
      </span>
      {sending.isIdle && (
        <Box
          component="span"
          flex="none"
          miw="6ch"
          c="dimmed"
          ta="end"
          className="figures"
          aria-hidden
        >
          in {formatDuration(Math.max(0, Math.ceil((dueMs - now) / 1000)))}
        </Box>
      )}
      {sending.error ? (
        <Button size="xs" variant="default" onClick={close}>
          Close
        </Button>
      ) : (
        <Button size="xs" variant="default" disabled={!sending.isIdle} onClick={close}>
          Undo
        </Button>
      )}
    </div>
  );
}
