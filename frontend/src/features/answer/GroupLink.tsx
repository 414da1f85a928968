import type { MouseEvent, ReactNode } from 'react';

interface GroupLinkProps {
  group: string;
  className?: string;
  onPick: ((group: string) => void) | undefined;
  children: ReactNode;
}

/** Links to a group of the run on the same page. */
export function GroupLink({ group, className, onPick, children }: GroupLinkProps) {
  const follow = (event: MouseEvent) => {
    const isPlain = !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (onPick === undefined || !isPlain) return;
    event.preventDefault();
    onPick(group);
  };
  return (
    <a className={className} href={`?group=${encodeURIComponent(group)}`} onClick={follow}>
      {children}
    </a>
  );
}
