import { Button } from '@mantine/core';
import { IconArrowsLeftRight } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';

/** As many as the server sets side by side. */
const MOST_CELLS = 24;

interface CompareChosenProps {
  /** Cells of finished runs; those beyond the most that go side by side are left out. */
  cells: readonly string[];
  label: string;
}

/** Leads to the page where these results stand side by side, and others can join them. */
export function CompareChosen({ cells, label }: CompareChosenProps) {
  const search = { cells: cells.slice(0, MOST_CELLS).join(',') };
  return (
    <Button
      size="xs"
      variant="default"
      disabled={cells.length === 0}
      leftSection={<IconArrowsLeftRight size={14} aria-hidden />}
      renderRoot={(props) => <Link to="/compare" search={search} {...props} />}
    >
      {label}
    </Button>
  );
}
