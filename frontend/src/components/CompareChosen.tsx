import { IconArrowsLeftRight } from '@tabler/icons-react';
import { LinkButton } from './LinkButton';

/** The maximum that the server compares. */
const MOST_CELLS = 24;

/** Return the query of the page that compares these results; those beyond the maximum are left out. */
export function chooseCells(cells: readonly string[]): { cells: string[] } {
  return { cells: cells.slice(0, MOST_CELLS) };
}

interface CompareChosenProps {
  /** Cells of finished runs. Cells beyond the maximum are left out. */
  cells: readonly string[];
  label: string;
}

/** Links to the page that compares these results. */
export function CompareChosen({ cells, label }: CompareChosenProps) {
  const search = chooseCells(cells);
  return (
    <LinkButton
      disabled={cells.length === 0}
      leftSection={<IconArrowsLeftRight size={14} aria-hidden />}
      to="/compare"
      search={search}
    >
      {label}
    </LinkButton>
  );
}
