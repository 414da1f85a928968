import type { ComponentProps, CSSProperties } from 'react';
import ui from './ui.module.css';

interface RowProps extends ComponentProps<'li'> {
  /** Widths of the columns, as in CSS. */
  columns: string;
  /** Widths on a phone; by default one column. */
  narrow?: string;
}

/** A row of a list whose cells are in columns. */
export function Row({ columns, narrow = 'minmax(0, 1fr)', ...item }: RowProps) {
  const style = { '--columns': columns, '--narrow': narrow } as CSSProperties;
  return <li {...item} className={ui.row} style={style} />;
}
