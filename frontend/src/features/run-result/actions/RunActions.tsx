import { ActionIcon, Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconDots, IconLink } from '@tabler/icons-react';
import { Suspense } from 'react';
import { isFinished } from '@/api/runs';
import type { RunOut } from '@/api/schema';
import { useMay } from '@/api/session';
import { CancelButton } from '@/components/CancelButton';
import { MenuButton } from '@/components/MenuButton';
import { useEver } from '@/lib/hooks';
import { RunMenu, ShareDialog } from './lazy';

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

/** Draws the button that opens the permalink of a run, its visibility and its preview picture. */
function Share({ run }: { run: RunOut }) {
  const [opened, { open, close }] = useDisclosure(false);
  const wasOpened = useEver(opened);
  return (
    <>
      <Button
        variant="default"
        size="xs"
        leftSection={<IconLink size={14} aria-hidden />}
        onClick={open}
      >
        Share
      </Button>
      <Suspense>{wasOpened && <ShareDialog run={run} opened={opened} onClose={close} />}</Suspense>
    </>
  );
}
