import type { RunOut } from '@/api/schema';
import { Legend } from '@/components/Legend';
import { EmptyState, ErrorState, LoadingState } from '@/components/States';
import { isolate, isVisible, toggle } from '@/lib/visible';
import { type FigureSource, legendItems, RANKING } from './figures/figure-props';
import { useGroupContext } from './selection/group-context';
import { type Block, type Group, listBlocks } from './selection/groups';
import { Ranking } from './ranking/Ranking';
import { RunFigures } from './figures/RunFigures';
import type { ResultSelection } from './selection/selection';
import { SWEEP, SweepFigure } from './sweep/SweepFigure';

interface EmbeddedFigureProps {
  run: RunOut;
  /** Name of the figure in the URL. */
  figure: string;
  selection: ResultSelection;
  onSelect: (selection: ResultSelection) => void;
}

/** Draws a single figure of a finished run, with its own legend. */
export function EmbeddedFigure({ run, ...rest }: EmbeddedFigureProps) {
  const blocks = listBlocks(run);
  const wanted = rest.selection.group ?? run.groups[0]?.key;
  const block = blocks.find(({ groups }) => groups.some(({ key }) => key === wanted)) ?? blocks[0];
  const group = block?.groups.find(({ key }) => key === wanted) ?? block?.groups[0];
  if (group === undefined || block === undefined) {
    return <EmptyState title="This run is empty">It has nothing to measure.</EmptyState>;
  }
  return <FigureOfGroup run={run} group={group} block={block} {...rest} />;
}

type FigureOfGroupProps = EmbeddedFigureProps & { group: Group; block: Block };

function FigureOfGroup({ run, group, block, figure, selection, onSelect }: FigureOfGroupProps) {
  const context = useGroupContext(run, group, selection);
  const { ranking } = context;
  const only = selection.only ?? '';
  const source: FigureSource = { run, group: group.key, embedded: true };
  const alone = (framework: string) => onSelect({ only: isolate(only, framework) });
  if (ranking === null) {
    return context.error ? <ErrorState error={context.error} /> : <LoadingState lines={6} />;
  }
  if (figure === RANKING) {
    return (
      <Ranking source={source} group={group} ranking={ranking} only={only} onIsolate={alone}>
        <strong>{ranking.title}</strong>
      </Ranking>
    );
  }
  if (figure === SWEEP && block.sweep) {
    return (
      <SweepFigure
        source={source}
        block={block}
        sweep={block.sweep}
        metric={ranking.metric}
        metricTitle={ranking.title}
        only={only}
      />
    );
  }
  const all = group.cells.map((cell) => cell.framework.slug);
  return (
    <>
      <Legend
        label="Frameworks in the charts"
        items={legendItems(group.cells)}
        only={only}
        onIsolate={alone}
        onToggle={(framework) => onSelect({ only: toggle(only, framework, all) })}
      />
      <RunFigures
        source={source}
        group={group}
        cells={group.cells.filter(({ framework }) => isVisible(only, framework.slug))}
        withWarmUp={selection.warm_up !== 'no'}
        floor={context.floor}
        figure={figure}
      />
    </>
  );
}
