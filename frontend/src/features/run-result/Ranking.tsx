import { type ReactNode, useRef } from 'react';
import { FigureMenu } from '@/charts/FigureMenu';
import type { ChartTable } from '@/lib/table-files';
import { embedOf, type FigureSource, RANKING } from './figure-props';
import type { GroupContext } from './group-context';
import type { Group } from './groups';
import classes from './Ranking.module.css';
import { rankCells } from './ranking';
import { ResultTable } from './ResultTable';

interface RankingProps {
  source: FigureSource;
  group: Group;
  context: GroupContext;
  only: string;
  onIsolate: (framework: string) => void;
  /** Stands at the left of the menu. */
  children?: ReactNode;
}

/** The result by one metric, with all the ways to take it along. */
export function Ranking({ source, group, context, only, onIsolate, children }: RankingProps) {
  const figure = useRef<HTMLDivElement>(null);
  const { metric, metricTitle, noise } = context;
  return (
    <>
      <div className={classes.toolbar}>
        {children}
        <div className={classes.menu}>
          <FigureMenu
            figure={figure}
            title={metricTitle}
            table={() => rankingTable(group, metric)}
            filename={`tacho-${source.run.slug}-${metric}`}
            embed={embedOf({ ...source, set: { ...source.set, metric } }, RANKING)}
          />
        </div>
      </div>
      <div ref={figure}>
        <ResultTable
          group={group}
          metric={metric}
          metricTitle={metricTitle}
          only={only}
          noise={noise}
          onIsolate={onIsolate}
        />
      </div>
    </>
  );
}

function rankingTable(group: Group, metric: string): ChartTable {
  return {
    columns: ['place', 'framework', 'estimate', 'low', 'high', 'unit', 'n', 'verdicts'],
    rows: rankCells(group.cells, metric).map(({ cell, place, summary }) => [
      place,
      cell.framework.name,
      summary?.estimate,
      summary?.low,
      summary?.high,
      summary?.unit,
      summary?.n,
      cell.verdicts.map((one) => one.verdict).join(' '),
    ]),
  };
}
