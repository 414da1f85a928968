import { Button, type ButtonProps } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { ConfirmDialog, type ConfirmDialogProps, type Sending } from './ConfirmDialog';

interface ConfirmButtonProps extends Omit<
  ConfirmDialogProps,
  'opened' | 'onClose' | 'onConfirm' | 'sending'
> {
  sending: Sending;
  /** Such as "Remove…". */
  label: string;
  /** Name for screen readers, if the label alone does not name the item. */
  name?: string;
  size?: ButtonProps['size'];
  /** Sends the request, and closes the dialog when it succeeds. */
  onConfirm: (close: () => void) => void;
}

/** A button that opens a dialog with the consequences before it sends a request. */
export function ConfirmButton(props: ConfirmButtonProps) {
  const { label, name, size = 'compact-xs', onConfirm, ...dialog } = props;
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button
        size={size}
        variant="default"
        aria-label={name}
        onClick={() => {
          // Opening the dialog again forgets its last error.
          dialog.sending.reset();
          open();
        }}
      >
        {label}
      </Button>
      <ConfirmDialog
        {...dialog}
        opened={opened}
        onClose={close}
        onConfirm={() => onConfirm(close)}
      />
    </>
  );
}
