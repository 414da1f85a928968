import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconLink } from '@tabler/icons-react';
import { Suspense } from 'react';
import type { RunOut } from '@/api/schema';
import { useEver } from '@/lib/hooks';
import { ShareDialog } from './lazy';

/** Draws the button that opens the permalink of a run, its visibility and its preview picture. */
export function Share({ run }: { run: RunOut }) {
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
