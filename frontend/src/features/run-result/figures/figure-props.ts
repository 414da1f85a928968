/** Props that all figures of a run share: file name, origin, legend and embed link. */
import type { CellOut, RunOut } from '@/api/schema';
import type { Embed, FigureOrigin, LegendEntry } from '@/charts/ChartFigure';
import { describeTrialCounts } from '@/charts/figure-text';
import type { LegendItem } from '@/components/Legend';
import { formatDay } from '@/lib/format';
import { installationOrigin } from '@/lib/installation';
import { describeLoad } from '@/lib/load';
import { describeParameter } from '@/lib/parameters';
import { seriesDash } from '@/lib/tokens';

/** The run and group that a figure belongs to. */
export interface FigureSource {
  run: RunOut;
  /** Key of the group, as in the URL. */
  group: string;
  /** Further query parameters, such as the metric; empty values are left out. */
  set?: Readonly<Record<string, string | undefined>>;
  /** Whether the figure is already embedded. */
  embedded?: boolean;
}

export const RANKING = 'ranking';

export function embedOf(source: FigureSource, figure: string): Embed | undefined {
  if (source.embedded) return undefined;
  const { run, group, set = {} } = source;
  const query = new URLSearchParams({ group });
  for (const [name, value] of Object.entries(set)) if (value) query.set(name, value);
  const picture = { image: `${run.permalink}/preview.png?${query}`, page: run.permalink };
  return {
    frame: `/embed${run.permalink}/${figure}?${query}`,
    ...(figure === RANKING && { picture }),
  };
}

export function legendOf(cells: readonly CellOut[]): LegendEntry[] {
  return cells.map((cell) => ({
    name: cell.excluded ? `${cell.framework.name} (excluded)` : cell.framework.name,
    colour: cell.framework.colour,
    dash: dashOf(cells, cell),
  }));
}

/** Return the dash that distinguishes a cell from earlier cells of its framework, such as another build. */
export function dashOf(cells: readonly CellOut[], cell: CellOut): string | undefined {
  const twins = cells.filter(({ framework }) => framework.slug === cell.framework.slug);
  return seriesDash(twins.indexOf(cell));
}

/** Return what a saved or copied figure names besides its title: run, load, host, n, date and link. */
export function originOf(
  { run, group: key }: FigureSource,
  cells: readonly CellOut[],
): FigureOrigin {
  const group = run.groups.find((group) => group.key === key);
  return {
    subject: run.title,
    facts: [
      ...(group ? [`${group.scenario.name}, ${describeLoad(group)}`] : []),
      `host ${run.host}`,
      describeTrialCounts(cells.map((cell) => cell.trials_succeeded)),
      formatDay(run.created_at),
    ],
    link: installationOrigin() + run.permalink,
  };
}

/** Return the origin of a figure over all values of a sweep, which have no load in common. */
export function sweepOrigin(
  source: FigureSource,
  parameter: string,
  cells: readonly CellOut[],
): FigureOrigin {
  const { subject, facts, link } = originOf(source, cells);
  const scenario = cells[0]?.scenario.name ?? '';
  const swept = `${scenario}, sweep over ${describeParameter(parameter).title.toLowerCase()}`;
  return { subject, facts: [swept, ...facts.slice(1)], link };
}

/** Return the legend items of these cells. */
export function legendItems(cells: readonly CellOut[]): LegendItem[] {
  return cells.map((cell) => ({
    key: cell.framework.slug,
    name: cell.framework.name,
    colour: cell.framework.colour,
    excluded: cell.excluded,
    dash: dashOf(cells, cell),
  }));
}

/** Return the props of the `ChartFigure` that draws these cells. */
export function figureProps(source: FigureSource, figure: string, cells: readonly CellOut[]) {
  return {
    filename: `tacho-${source.run.slug}-${figure}`,
    origin: originOf(source, cells),
    legend: legendOf(cells),
    embed: embedOf(source, figure),
  };
}

/** Return the names of cells with their estimates, for a summary. */
export function namedSummaries(cells: readonly CellOut[]) {
  return cells.map(({ framework, summary }) => ({ name: framework.name, summary }));
}
