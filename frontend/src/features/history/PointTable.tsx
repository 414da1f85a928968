import { Button, Checkbox } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { memo, useMemo, useState } from 'react';
import type { HistoryDot, HistoryLine } from '@/charts/HistoryChart';
import { CompareChosen } from '@/components/CompareChosen';
import { Marker } from '@/components/Marker';
import { Interval, Quantity } from '@/components/Quantity';
import { formatDateTime } from '@/lib/format';
import { readPicked } from '@/lib/picked';
import classes from './HistoryView.module.css';

const FEW = 20;

interface PointTableProps {
  lines: readonly HistoryLine[];
  unit: string;
  /** Cells ticked to compare, separated by commas; some may be of other lines. */
  picked: string;
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
  const shown = isWhole ? points : points.slice(0, FEW);
  const here = readPicked(picked).filter((cell) => points.some((point) => point.cellId === cell));
  return (
    <>
      <CompareChosen
        cells={here}
        label={here.length === 0 ? 'Tick runs to compare' : `Compare ${here.length} selected`}
      />
      <table className={classes.table}>
        <thead>
          <tr>
            <th scope="col">Run</th>
            <th scope="col" className={classes.number}>
              Estimate
            </th>
            <th scope="col" className={classes.number}>
              95 % interval
            </th>
            <th scope="col" className={classes.number}>
              n
            </th>
          </tr>
        </thead>
        <tbody>
          {shown.map((point) => (
            <PointRow
              key={point.cellId}
              point={point}
              unit={unit}
              isNamed={lines.length > 1}
              checked={here.includes(point.cellId)}
              onToggle={() => {
                onPick(point.cellId);
              }}
            />
          ))}
        </tbody>
      </table>
      {shown.length < points.length && (
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

interface PointRowProps {
  point: HistoryDot & { name: string; colour: number };
  unit: string;
  /** Whether to name the series, because there are several. */
  isNamed: boolean;
  checked: boolean;
  onToggle: () => void;
}

function PointRow({ point, unit, isNamed, checked, onToggle }: PointRowProps) {
  const at = formatDateTime(new Date(point.at).toISOString());
  return (
    <tr>
      <td>
        <span className={classes.run}>
          <Checkbox
            aria-label={`Select the run of ${at}${isNamed ? `, ${point.name},` : ''} to compare`}
            checked={checked}
            onChange={onToggle}
          />
          <Marker colour={point.colour} />
          <Link to="/runs/$run" params={{ run: point.runId }}>
            {at}
          </Link>
        </span>
        {isNamed && <div className={classes.series}>{point.name}</div>}
      </td>
      <td className={classes.number}>
        <Quantity value={point.estimate} unit={unit} />
        {point.excluded && ' excluded'}
      </td>
      <td className={classes.number}>
        <Interval {...point} unit={unit} />
      </td>
      <td className={classes.number}>{point.n}</td>
    </tr>
  );
}
