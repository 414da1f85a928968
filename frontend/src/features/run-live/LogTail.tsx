import { TextInput } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { stripTerminalCodes } from '@/lib/format';
import type { LogLine } from './live-state';
import classes from './LogTail.module.css';

/** Shows the last lines of builds and services that match the search. Scrolls with new lines unless the reader scrolled up. */
export function LogTail({ lines: all }: { lines: readonly LogLine[] }) {
  const [sought, setSought] = useState('');
  const wanted = sought.trim().toLowerCase();
  const lines = all.filter(({ name, line }) => `${name} ${line}`.toLowerCase().includes(wanted));
  const box = useRef<HTMLPreElement>(null);
  const atEnd = useRef(true);

  useEffect(() => {
    const element = box.current;
    if (element && atEnd.current) element.scrollTop = element.scrollHeight;
  }, [all, wanted]);

  if (all.length === 0) return <p className={classes.none}>No output yet.</p>;
  return (
    <>
      <TextInput
        className={classes.search}
        size="xs"
        type="search"
        aria-label="Search the log"
        placeholder="Search the log"
        value={sought}
        onChange={(event) => setSought(event.currentTarget.value)}
      />
      {lines.length === 0 && (
        <p className={classes.none} role="status">
          No match in the last {all.length} lines.
        </p>
      )}
      <pre
        ref={box}
        className={classes.log}
        tabIndex={0}
        aria-label="Log"
        onScroll={(event) => {
          const { scrollTop, scrollHeight, clientHeight } = event.currentTarget;
          atEnd.current = scrollHeight - scrollTop - clientHeight < 24;
        }}
      >
        {lines.map(({ number, name, line }) => (
          <span key={number} className={classes.line}>
            <span className={classes.name}>{name}</span>
            {stripTerminalCodes(line)}
            {'\n'}
          </span>
        ))}
      </pre>
    </>
  );
}
