import classes from './DiffText.module.css';

/** Draws a unified diff: added and removed lines differ in colour and in their sign. */
export function DiffText({ diff, label }: { diff: string; label: string }) {
  return (
    <pre className={classes.diff} role="group" tabIndex={0} aria-label={label}>
      {diff.split('\n').map((line, index) => (
        <span key={index} className={classes.line} data-kind={kindOf(line)}>
          {line}
          {'\n'}
        </span>
      ))}
    </pre>
  );
}

function kindOf(line: string): string | undefined {
  if (line.startsWith('---') || line.startsWith('+++')) return 'head';
  if (line.startsWith('@@')) return 'place';
  if (line.startsWith('+')) return 'added';
  return line.startsWith('-') ? 'removed' : undefined;
}
