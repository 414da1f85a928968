import { Link } from '@tanstack/react-router';
import type { ChoiceOut, ChoiceRowOut } from '@/api/schema';
import type { Column } from '@/components/data-table/column';
import { DataTable } from '@/components/data-table/DataTable';
import { MarkedName } from '@/components/Marker';
import { Interval, Quantity } from '@/components/Quantity';
import { splitInterval } from '@/lib/ratio';
import classes from './Choose.module.css';

type Cell = ChoiceRowOut['cells'][number];

/** Lists the chosen frameworks by what matters. */
export function ChoiceTable({ choice }: { choice: ChoiceOut }) {
  return (
    <DataTable
      label="Frameworks by what matters"
      layout="cards"
      rows={choice.rows}
      rowKey={({ framework }) => framework.slug}
      rowProps={({ framework }) => ({ 'data-best': choice.best.includes(framework.slug) })}
      caption="All results of a column were measured under the same conditions. Brackets show 95 % intervals."
      columns={[
        {
          id: 'framework',
          header: 'Framework',
          isRowHeader: true,
          card: 'title',
          cell: ({ framework }) => (
            <Link to="/frameworks/$slug" params={{ slug: framework.slug }}>
              <MarkedName {...framework} />
            </Link>
          ),
        },
        ...choice.columns.map((column, place): Column<ChoiceRowOut> => ({
          id: column.criterion,
          header: (
            <span className={classes.head}>
              {column.title}
              <span className={classes.load}>
                {column.load ?? 'no results'}
                {column.runtime !== null && `, ${column.runtime}`}
              </span>
            </span>
          ),
          cardLabel: column.title,
          card: 'line',
          wraps: true,
          cell: ({ cells }) => {
            const cell = cells[place];
            return cell === undefined ? null : <Result cell={cell} />;
          },
        })),
      ]}
    />
  );
}

function Result({ cell }: { cell: Cell }) {
  const { estimate, availability, words, rank, to_best: ratio, permalink } = cell;
  if (estimate === null) return <span className={classes.without}>{words}</span>;
  const isExcluded = availability === 'excluded';
  return (
    <span className={classes.result} data-best={rank === 1} data-excluded={isExcluded}>
      {/* A permalink is a path, so that the page of the run opens with the right address. */}
      <a href={permalink ?? undefined}>
        <Quantity value={estimate.estimate} unit={estimate.unit} isBound={estimate.is_bound} />
      </a>{' '}
      <Interval
        estimate={estimate.estimate}
        low={estimate.low ?? null}
        high={estimate.high ?? null}
        values={estimate.values}
        unit={estimate.unit}
      />
      <span className={classes.standing}>{words || describeStanding(rank, ratio)}</span>
    </span>
  );
}

/** Return `best`, or the ratio to the best with what is known about the pair. */
function describeStanding(rank: number | null, ratio: Cell['to_best']): string {
  if (ratio === null) return rank === null ? '' : 'best estimate';
  return `${splitInterval(ratio.text).figure} the best, ${ratio.words}`;
}
