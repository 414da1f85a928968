import type { ReactNode } from 'react';

/** A fold for one further entry would save nothing. */
const MOST = 4;
const FIRST = 3;

interface FoldedProps<Item> {
  items: readonly Item[];
  draw: (items: readonly Item[]) => ReactNode;
}

/** Draws the first three items, and the others behind a button; up to four are all drawn. */
export function Folded<Item>({ items, draw }: FoldedProps<Item>) {
  const count = items.length > MOST ? FIRST : items.length;
  return (
    <>
      {draw(items.slice(0, count))}
      {items.length > count && (
        <details className="answer-more">
          <summary>{`${items.length - count} more`}</summary>
          {draw(items.slice(count))}
        </details>
      )}
    </>
  );
}
