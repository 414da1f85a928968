import { Box, Flex } from '@mantine/core';
import { type ReactNode, useRef } from 'react';
import type { GroupRankingOut } from '@/api/schema';
import { FigureMenu } from '@/charts/FigureMenu';
import { type ShownVerdict, Verdicts } from '@/components/VerdictBadge';
import { formatEstimate } from '@/lib/format';
import type { ChartTable } from '@/lib/table-files';
import {
  embedOf,
  type FigureSource,
  originOf,
  RANKING,
} from '@/features/run-result/figures/figure-props';
import type { Group } from '@/features/run-result/selection/groups';
import { rankCells } from './ranking';
import { ResultTable } from './ResultTable';
import { listConditions, listSharedWarnings } from './shared-notes';

interface RankingProps {
  source: FigureSource;
  group: Group;
  ranking: GroupRankingOut;
  only: string;
  onIsolate: (framework: string) => void;
  /** Drawn to the left of the menu. */
  children?: ReactNode;
}

/** Draws the ranking by one metric, with a menu to save, copy or embed it. */
export function Ranking({ source, group, ranking, children, ...rest }: RankingProps) {
  const figure = useRef<HTMLDivElement>(null);
  const { metric, title } = ranking;
  const shared = listSharedWarnings(group.cells);
  return (
    <>
      <Flex wrap="wrap" gap="8px 24px" align="flex-end" mb="sm">
        {children}
        <Box ml="auto">
          <FigureMenu
            figure={figure}
            title={title}
            table={() => rankingTable(group, ranking)}
            summary={() => rankingSummary(group, ranking)}
            origin={originOf(source, group.cells)}
            filename={`tacho-${source.run.slug}-${metric}`}
            embed={embedOf({ ...source, set: { ...source.set, metric } }, RANKING)}
          />
        </Box>
      </Flex>
      <div ref={figure}>
        <SharedNotes
          hasExcluded={new Set(group.cells.map((cell) => cell.excluded)).size > 1}
          warnings={shared}
          sharing={listConditions(source.run.environment)}
        />
        <ResultTable
          group={group}
          ranking={ranking}
          shared={shared.map(({ verdict }) => verdict)}
          {...rest}
        />
      </div>
    </>
  );
}

function rankingTable(group: Group, ranking: GroupRankingOut): ChartTable {
  return {
    columns: [
      'rank',
      'framework',
      'estimate',
      'low',
      'high',
      'unit',
      'n',
      'ratio',
      'ratio_low',
      'ratio_high',
      'state',
      'verdicts',
    ],
    rows: rankCells(group.cells, ranking).map(({ cell, rank, summary, ratio }) => [
      rank,
      cell.framework.name,
      summary?.estimate,
      summary?.low,
      summary?.high,
      summary?.unit,
      summary?.n,
      ratio?.ratio,
      ratio?.low,
      ratio?.high,
      ratio?.state,
      cell.verdicts.map((verdict) => verdict.verdict).join(' '),
    ]),
  };
}

/** Return the ranking in the format of the page. */
function rankingSummary(group: Group, ranking: GroupRankingOut): ChartTable {
  return {
    columns: ['rank', 'framework', ranking.title, 'ratio', 'n', 'remark'],
    rows: rankCells(group.cells, ranking).map(({ cell, rank, summary, ratio, isBaseline }) => [
      rank === null ? '–' : String(rank),
      cell.framework.name,
      formatEstimate(summary ?? undefined),
      isBaseline ? 'baseline' : (ratio?.text ?? '–'),
      String(summary?.n ?? 0),
      cell.excluded ? 'excluded' : (ratio?.words ?? ''),
    ]),
  };
}

interface SharedNotesProps {
  /** Whether some results are excluded, whose warnings do not count. */
  hasExcluded: boolean;
  warnings: readonly ShownVerdict[];
  /** Sentences about roles that share CPUs. */
  sharing: readonly string[];
}

/** Shows once what holds for all results: their common warnings, and shared CPUs. */
function SharedNotes({ hasExcluded, warnings, sharing }: SharedNotesProps) {
  if (warnings.length === 0 && sharing.length === 0) return null;
  return (
    <Flex wrap="wrap" align="center" gap="4px 16px" mb="xs" c="dimmed">
      {warnings.length > 0 && (
        <Flex component="span" display="inline-flex" wrap="wrap" align="center" gap="4px 8px">
          {hasExcluded ? 'All results that are not excluded' : 'All results'}:{' '}
          <Verdicts verdicts={warnings} />
        </Flex>
      )}
      {sharing.length > 0 && <span>{sharing.join(' ')}</span>}
    </Flex>
  );
}
