import { Button, CopyButton } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import classes from './CodeBlock.module.css';
import { fadeEdges } from './fade-edges';

interface CodeBlockProps {
  label: string;
  code: string;
}

/** Shows text to copy: a command, a log or a link. */
export function CodeBlock({ label, code }: CodeBlockProps) {
  return (
    <div className={classes.block}>
      <div className={classes.head}>
        <span>{label}</span>
        <CopyButton value={code}>
          {({ copied, copy }) => (
            <Button
              size="compact-xs"
              variant="subtle"
              onClick={copy}
              aria-label={`Copy: ${label}`}
              leftSection={copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
            >
              {copied ? 'Copied' : 'Copy'}
            </Button>
          )}
        </CopyButton>
      </div>
      {/* Scrollable by keyboard too. */}
      <pre ref={fadeEdges} className={classes.code} tabIndex={0} aria-label={label}>
        {code}
      </pre>
    </div>
  );
}
