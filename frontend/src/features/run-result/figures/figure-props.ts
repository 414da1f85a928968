/** Props that all figures of a run share: file name, legend and embed link. */
import type { Run, RunCell } from '@/api/runs';
import type { Embed, LegendEntry } from '@/charts/ChartFigure';
import type { LegendItem } from '@/components/Legend';

/** The run and group that a figure belongs to. */
export interface FigureSource {
  run: Run;
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

export function legendOf(cells: readonly RunCell[]): LegendEntry[] {
  return cells.map(({ framework, excluded }) => ({
    name: excluded ? `${framework.name} (excluded)` : framework.name,
    colour: framework.colour,
  }));
}

/** Return the legend items of these cells. */
export function legendItems(cells: readonly RunCell[]): LegendItem[] {
  return cells.map(({ framework: { slug, name, colour }, excluded }) => ({
    key: slug,
    name,
    colour,
    excluded,
  }));
}

/** Return the props of the `ChartFigure` that draws these cells. */
export function figureProps(source: FigureSource, figure: string, cells: readonly RunCell[]) {
  return {
    filename: `tacho-${source.run.slug}-${figure}`,
    legend: legendOf(cells),
    embed: embedOf(source, figure),
  };
}
