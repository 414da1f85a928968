import { Button, Group, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { Dialog } from './Dialog';
import { Refusal } from './Refusal';
import type { ShownError } from './States';

/** The state of the request that is confirmed. */
export interface Sending {
  error: (ShownError & Error) | null;
  isPending: boolean;
  reset: () => void;
}

export interface ConfirmDialogProps {
  opened: boolean;
  onClose: () => void;
  /** The question. */
  title: string;
  /** Label of the button that does it, such as "Remove member". */
  action: string;
  /** Label of the button that closes the dialog. */
  cancel?: string;
  isDangerous?: boolean;
  /** Whether the action is not possible yet. */
  disabled?: boolean;
  /** Absent if nothing is sent at once. */
  sending?: Sending;
  /** Sends the request, and calls `onClose` when it succeeds. */
  onConfirm: () => void;
  /** The consequences. */
  children: ReactNode;
}

/** A dialog with the consequences of a request, which sends it after a confirmation. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { opened, onClose, title, action, cancel = 'Cancel', sending, onConfirm } = props;
  const { isDangerous = true, disabled = false, children } = props;
  return (
    <Dialog opened={opened} onClose={onClose} title={title} centered>
      <Stack gap="md">
        <div>{children}</div>
        {sending?.error && <Refusal error={sending.error} />}
        <Group gap="xs" justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {cancel}
          </Button>
          <Button
            {...(isDangerous && { color: 'red' })}
            loading={sending?.isPending ?? false}
            disabled={disabled}
            onClick={onConfirm}
          >
            {action}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
