import { Button, type ButtonProps } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { ConfirmDialog } from '@/components/ConfirmDialog';
import { cancelSoon, type CancelSubject, usePendingCancels } from '@/lib/pending-cancels';

interface CancelButtonProps {
  subject: CancelSubject;
  label: string;
  /** Name for screen readers, if the label alone does not name the item. */
  name?: string;
  size?: ButtonProps['size'];
}

const WORDS = {
  run: {
    title: 'Cancel this run?',
    action: 'Cancel run',
    keep: 'Keep the run',
    consequences:
      'Its queued trials end at once, and the current trial within moments. Finished trials stay.',
  },
  group: {
    title: 'Cancel the runs on all hosts?',
    action: 'Cancel all runs',
    keep: 'Keep the runs',
    consequences:
      'Queued trials end at once, and current trials within moments. Finished trials stay.',
  },
};

/** Asks once, and then cancels a run or a group in ten seconds unless it is undone. */
export function CancelButton({ subject, label, name, size = 'compact-xs' }: CancelButtonProps) {
  const [opened, { open, close }] = useDisclosure(false);
  const isPending = usePendingCancels().some((cancel) => cancel.name === subject.name);
  const { title, action, keep, consequences } = WORDS[subject.kind];
  return (
    <>
      <Button
        variant="default"
        c={isPending ? undefined : 'var(--tacho-bad)'}
        size={size}
        aria-label={name}
        disabled={isPending}
        onClick={open}
      >
        {label}
      </Button>
      <ConfirmDialog
        opened={opened}
        onClose={close}
        title={title}
        action={action}
        cancel={keep}
        onConfirm={() => {
          cancelSoon(subject);
          close();
        }}
      >
        <strong>{subject.title}</strong>
        <p style={{ marginBlock: 8 }}>{consequences} You can undo this for ten seconds.</p>
      </ConfirmDialog>
    </>
  );
}
