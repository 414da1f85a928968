import { useEffect, useRef } from 'react';
import { stripTerminalCodes } from '@/lib/format';
import type { LogLine } from './live-state';
import classes from './LogTail.module.css';

/** The last lines of builds and services; stays at the end unless the reader scrolled up. */
export function LogTail({ lines }: { lines: readonly LogLine[] }) {
  const box = useRef<HTMLPreElement>(null);
  const atEnd = useRef(true);

  useEffect(() => {
    const element = box.current;
    if (element && atEnd.current) element.scrollTop = element.scrollHeight;
  }, [lines]);

  if (lines.length === 0) return <p className={classes.none}>Nothing was written yet.</p>;
  return (
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
      {lines.map(({ name, line }, index) => (
        <span key={index} className={classes.line}>
          <span className={classes.name}>{name}</span>
          {stripTerminalCodes(line)}
          {'\n'}
        </span>
      ))}
    </pre>
  );
}
