import { Button, type ButtonProps } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { ConfirmDialog, type ConfirmDialogProps, type Sending } from './ConfirmDialog';

/** A mutation of the API. */
interface Mutation<Request, Result> extends Sending {
  mutate: (request: Request, options: { onSuccess: (result: Result) => void }) => void;
}

interface ConfirmButtonProps<Request, Result> extends Omit<
  ConfirmDialogProps,
  'opened' | 'onClose' | 'onConfirm' | 'sending'
> {
  sending: Mutation<Request, Result>;
  request: NoInfer<Request>;
  /** Called after the dialog was closed. */
  onSuccess?: (result: NoInfer<Result>) => void;
  /** Such as "Remove…". */
  label: string;
  /** Name for screen readers, if the label alone does not name the item. */
  name?: string;
  size?: ButtonProps['size'];
}

/** A button that opens a dialog with the consequences before it sends a request. */
export function ConfirmButton<Request, Result>(props: ConfirmButtonProps<Request, Result>) {
  const { label, name, size = 'compact-xs', sending, request, onSuccess, ...dialog } = props;
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button
        size={size}
        variant="default"
        aria-label={name}
        onClick={() => {
          // Opening the dialog again forgets its last error.
          sending.reset();
          open();
        }}
      >
        {label}
      </Button>
      <ConfirmDialog
        {...dialog}
        sending={sending}
        opened={opened}
        onClose={close}
        onConfirm={() =>
          sending.mutate(request, {
            onSuccess: (result) => {
              close();
              onSuccess?.(result);
            },
          })
        }
      />
    </>
  );
}
