import { useEffect, useState } from 'react';

/** Sets the window's title while the caller is shown; null leaves it to another component. */
export function useDocumentTitle(title: string | null): void {
  useEffect(() => {
    if (title === null) return;
    document.title = title === '' ? 'Tacho' : `${title} · Tacho`;
    return () => {
      document.title = 'Tacho';
    };
  }, [title]);
}

/** The time, renewed every `intervalMs`. */
export function useNow(intervalMs: number): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = window.setInterval(() => setNow(Date.now()), intervalMs);
    return () => window.clearInterval(timer);
  }, [intervalMs]);
  return now;
}

/** Return whether a condition is true or has been true since the caller was first drawn. */
export function useEver(condition: boolean): boolean {
  const [ever, setEver] = useState(condition);
  if (condition && !ever) setEver(true);
  return ever || condition;
}
