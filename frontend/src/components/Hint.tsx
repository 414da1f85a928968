import { Tooltip } from '@mantine/core';
import type { ReactNode } from 'react';

interface HintProps {
  text: string;
  className?: string | undefined;
  children: ReactNode;
}

/** Text with an explanation that opens when it is hovered, focused or touched. */
export function Hint({ text, className, children }: HintProps) {
  return (
    <Tooltip label={text}>
      <span className={className} tabIndex={0}>
        {children}
      </span>
    </Tooltip>
  );
}
