import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { Dialog } from './Dialog';

interface DialogButtonProps {
  /** Such as "Edit…". */
  label: string;
  /** Name for screen readers, if the label alone does not name the item. */
  name?: string;
  title: string;
  /** Returns the content of the dialog. */
  children: (close: () => void) => ReactNode;
}

/** A small button of a row that opens a dialog. */
export function DialogButton({ label, name, title, children }: DialogButtonProps) {
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button size="compact-xs" variant="default" aria-label={name} onClick={open}>
        {label}
      </Button>
      <Dialog opened={opened} onClose={close} title={title} centered>
        {children(close)}
      </Dialog>
    </>
  );
}
