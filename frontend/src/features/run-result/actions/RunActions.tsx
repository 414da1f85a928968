import { ActionIcon, Button } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { isFinished } from '@/api/runs';
import type { RunOut } from '@/api/schema';
import { useMay } from '@/api/session';
import { CancelButton } from '@/components/CancelButton';
import { MenuButton } from '@/components/MenuButton';
import { RunMenu } from './lazy';
import { Share } from './Share';

/**
 * Draws the actions of a run: share, export, reproduce, compare, archive and delete it, or cancel
 * it. Only members of its workspace can change it, with the permission for each change.
 */
export function RunActions({ run }: { run: RunOut }) {
  const finished = isFinished(run.status);
  const mayCancel = useMay('run') && run.is_own;
  return (
    <>
      <Share run={run} />
      {finished && <MoreActions run={run} />}
      {!finished && mayCancel && <CancelRun run={run} />}
    </>
  );
}

/** One menu, so that the actions never take more than one line. */
function MoreActions({ run }: { run: RunOut }) {
  return (
    <MenuButton
      button={
        <ActionIcon variant="default" size={30} aria-label="Export, reproduce, compare">
          <IconDots size={16} aria-hidden />
        </ActionIcon>
      }
    >
      {(button) => <RunMenu run={run} button={button} />}
    </MenuButton>
  );
}

function CancelRun({ run }: { run: RunOut }) {
  if (run.cancel_requested) {
    return (
      <Button variant="default" size="xs" disabled>
        Cancelling…
      </Button>
    );
  }
  return (
    <CancelButton
      subject={{ kind: 'run', name: run.id, title: run.title }}
      label="Cancel run…"
      size="xs"
    />
  );
}
