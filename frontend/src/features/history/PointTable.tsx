import { Box, Button, Checkbox } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { memo, useMemo, useState } from 'react';
import type { HistoryDot, HistoryLine } from '@/charts/HistoryChart';
import { CompareChosen } from '@/components/CompareChosen';
import { DataTable } from '@/components/data-table/DataTable';
import { Marker } from '@/components/Marker';
import { Interval, Quantity } from '@/components/Quantity';
import { formatDateTime } from '@/lib/format';
import classes from './HistoryView.module.css';

const FEW = 20;

interface PointTableProps {
  lines: readonly HistoryLine[];
  unit: string;
  /** Cells ticked to compare, separated by commas; some may be of other lines. */
  picked: readonly string[];
  onPick: (cell: string) => void;
}

/** Lists the runs of all lines, newest first, with ticks for comparison. */
export const PointTable = memo(function PointTable(props: PointTableProps) {
  const { lines, unit, picked, onPick } = props;
  const [isWhole, setIsWhole] = useState(false);
  const points = useMemo(
    () =>
      lines
        .flatMap(({ name, colour, dots }) => dots.map((dot) => ({ ...dot, name, colour })))
        .sort((a, b) => b.at - a.at),
    [lines],
  );
  const here = picked.filter((cell) => points.some((point) => point.cellId === cell));
  return (
    <>
      <CompareChosen
        cells={here}
        label={here.length === 0 ? 'Tick runs to compare' : `Compare ${here.length} selected`}
      />
      <Box maw={720}>
        <DataTable
          label="Runs of the series"
          layout="fit"
          rows={points}
          rowKey={({ cellId }) => cellId}
          limit={isWhole ? points.length : FEW}
          columns={[
            {
              id: 'run',
              header: 'Run',
              sortBy: ({ at }) => at,
              cell: (point) => (
                <Run
                  point={point}
                  isNamed={lines.length > 1}
                  checked={here.includes(point.cellId)}
                  onToggle={() => {
                    onPick(point.cellId);
                  }}
                />
              ),
            },
            {
              id: 'estimate',
              header: 'Estimate',
              isNumeric: true,
              sortBy: ({ estimate }) => estimate,
              cell: (point) => (
                <>
                  <Quantity value={point.estimate} unit={unit} />
                  {point.excluded && ' excluded'}
                </>
              ),
            },
            {
              id: 'interval',
              header: '95 % interval',
              isNumeric: true,
              cell: (point) => <Interval {...point} unit={unit} />,
            },
            { id: 'n', header: 'n', isNumeric: true, cell: ({ n }) => n },
          ]}
        />
      </Box>
      {!isWhole && points.length > FEW && (
        <Button
          mt={12}
          variant="default"
          size="xs"
          onClick={() => {
            setIsWhole(true);
          }}
        >
          Show all {points.length} runs
        </Button>
      )}
    </>
  );
});

interface RunProps {
  point: HistoryDot & { name: string; colour: number };
  /** Whether to name the series, because there are several. */
  isNamed: boolean;
  checked: boolean;
  onToggle: () => void;
}

function Run({ point, isNamed, checked, onToggle }: RunProps) {
  const at = formatDateTime(new Date(point.at).toISOString());
  return (
    <>
      <span className={classes.run}>
        <Checkbox
          aria-label={`Select the run of ${at}${isNamed ? `, ${point.name},` : ''} to compare`}
          checked={checked}
          onChange={onToggle}
        />
        <Marker colour={point.colour} />
        <Link to="/r/$run" params={{ run: point.runId }}>
          {at}
        </Link>
      </span>
      {isNamed && <div className={classes.series}>{point.name}</div>}
    </>
  );
}
