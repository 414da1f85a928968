import type { ModalProps } from '@mantine/core';
import { Suspense } from 'react';
import { useEver } from '@/lib/hooks';
import { OpenedDialog } from './lazy';

/** A dialog whose code is loaded when it is opened for the first time. */
export function Dialog(props: ModalProps) {
  if (!useEver(props.opened)) return null;
  return (
    <Suspense>
      <OpenedDialog {...props} />
    </Suspense>
  );
}
