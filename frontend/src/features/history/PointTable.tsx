import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { HistoryLine } from '@/charts/HistoryChart';
import { Marker } from '@/components/Marker';
import { Interval, Quantity } from '@/components/Quantity';
import { formatDateTime } from '@/lib/format';
import classes from './HistoryView.module.css';

const FEW = 20;

/** The runs of all lines, newest first, each leading to its page; more of them on demand. */
export function PointTable({ lines, unit }: { lines: readonly HistoryLine[]; unit: string }) {
  const [isWhole, setIsWhole] = useState(false);
  const points = lines
    .flatMap(({ id, colour, dots }) => dots.map((dot) => ({ ...dot, id, colour })))
    .sort((a, b) => b.at - a.at);
  const shown = isWhole ? points : points.slice(0, FEW);
  return (
    <>
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
            <tr key={`${point.id} ${point.runId}`}>
              <td>
                <span className={classes.run}>
                  <Marker colour={point.colour} />
                  <Link to="/runs/$run" params={{ run: point.runId }}>
                    {formatDateTime(new Date(point.at).toISOString())}
                  </Link>
                </span>
              </td>
              <td className={classes.number}>
                <Quantity value={point.estimate} unit={unit} />
                {point.barred && ' barred'}
              </td>
              <td className={classes.number}>
                <Interval {...point} unit={unit} />
              </td>
              <td className={classes.number}>{point.n}</td>
            </tr>
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
}
