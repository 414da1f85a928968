import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './ConfirmButton.module.css';
import { DialogButton } from './DialogButton';
import { Refusal } from './Refusal';
import type { ShownError } from './States';

/** The state of the request that the button sends. */
interface Sending {
  error: (ShownError & Error) | null;
  isPending: boolean;
  reset: () => void;
}

interface ConfirmButtonProps {
  /** Such as "Remove…". */
  label: string;
  /** Name for screen readers, if the label alone does not name the item. */
  name?: string;
  /** Question of the dialog. */
  title: string;
  /** Label of the button that does it, such as "Remove member". */
  action: string;
  isDangerous?: boolean;
  sending: Sending;
  /** Sends the request, and closes the dialog when it succeeds. */
  onConfirm: (close: () => void) => void;
  /** The consequences. */
  children: ReactNode;
}

/** A button that opens a dialog with the consequences before it sends a request. */
export function ConfirmButton(props: ConfirmButtonProps) {
  const { label, name, title, action, isDangerous = true, sending, onConfirm, children } = props;
  const own = { label, title, sending, ...(name !== undefined && { name }) };
  return (
    <DialogButton {...own}>
      {(close) => (
        <div className={classes.body}>
          <div>{children}</div>
          {sending.error && <Refusal error={sending.error} />}
          <div className={classes.actions}>
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button
              {...(isDangerous && { color: 'red' })}
              loading={sending.isPending}
              onClick={() => {
                onConfirm(close);
              }}
            >
              {action}
            </Button>
          </div>
        </div>
      )}
    </DialogButton>
  );
}
