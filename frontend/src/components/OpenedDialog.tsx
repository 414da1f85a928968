import { Modal, type ModalProps } from '@mantine/core';
import { useMounted } from '@mantine/hooks';

/** A dialog that opens after it is mounted, because Mantine returns the focus only then. */
export function OpenedDialog({ opened, ...props }: ModalProps) {
  const isMounted = useMounted();
  return <Modal {...props} opened={opened && isMounted} />;
}
