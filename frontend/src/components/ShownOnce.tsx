import { Button, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { CodeBlock } from './CodeBlock';
import { Notice } from './Notice';

interface ShownOnceProps {
  /** Such as "Copy the token now. It is not shown again". */
  title: string;
  label: string;
  secret: string;
  /** How to use it. */
  children?: ReactNode;
  onClose: () => void;
}

/** Shows a secret that no later response contains: a token or a one-time link. */
export function ShownOnce({ title, label, secret, children, onClose }: ShownOnceProps) {
  return (
    <Notice title={title}>
      <Stack gap="sm" mt="xs">
        <CodeBlock label={label} code={secret} />
        {children}
        <div>
          <Button size="xs" variant="default" onClick={onClose}>
            Done
          </Button>
        </div>
      </Stack>
    </Notice>
  );
}
