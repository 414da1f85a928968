import { Button, VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ChangeOut, IncidentOut, ShiftOut } from '@/api/schema';
import { Section } from '@/components/Page';
import { Loaded, LoadingState } from '@/components/States';
import { BuildDifferences } from './BuildDifferences';
import { ConfirmationRuns } from './ConfirmationRuns';
import { IncidentChart } from './IncidentChart';
import { changeQuery } from './query';
import classes from './IncidentView.module.css';
import { ShiftTable } from './ShiftTable';
import { SizeText } from './SizeText';
import { seriesTitleOf } from './titles';

interface IncidentViewProps {
  incident: IncidentOut;
  /** Id of the series to show in the chart; the largest by default. */
  series: string | undefined;
  titleOf: (metric: ShiftOut['metric']) => string;
  onShow: (id: string) => void;
}

/** Shows an incident: what to do next, the chart, all series, the test, and what changed. */
export function IncidentView({ incident, series, titleOf, onShow }: IncidentViewProps) {
  const { shown, changes, note } = incident;
  // The URL may name a series that no longer belongs to the incident.
  const other = changes.find((change) => change.id === series && change.id !== shown.id);
  return (
    <>
      <p className={classes.next}>
        <strong>Next step:</strong> {showCommands(incident.next_step)}
      </p>
      {note !== null && <p className={classes.note}>“{note}”</p>}
      <VisuallyHidden component="h2">Chart</VisuallyHidden>
      {other === undefined ? (
        <IncidentChart change={shown} metricTitle={titleOf(shown.metric)} />
      ) : (
        <>
          <div className={classes.other}>
            <span>
              The heading is about the largest shift. The chart shows another series:{' '}
              <strong>{seriesTitleOf(other, titleOf(other.metric))}</strong>,{' '}
              <SizeText shift={other} />.
            </span>
            <Button size="compact-sm" variant="default" onClick={() => onShow(shown.id)}>
              Show the largest shift
            </Button>
          </div>
          <OtherSeries id={other.id} titleOf={titleOf} />
        </>
      )}
      <Section title="Confirmation run">
        <ConfirmationRuns incident={incident} />
      </Section>
      <Section
        title="Series that shifted"
        hint="The largest shift first. Sizes are new ÷ old, with 95 % confidence intervals."
      >
        <ShiftTable
          shifts={changes}
          shown={other?.id ?? shown.id}
          titleOf={titleOf}
          onShow={onShow}
        />
      </Section>
      <Section
        title="What changed"
        hint="Differences between the builds and environments before and after."
      >
        <BuildDifferences incident={incident} />
      </Section>
    </>
  );
}

const COMMAND = /(tacho \w+(?: --[\w-]+)+)/;

/** Shows commands in a text as code, which stays on one line. */
function showCommands(text: string) {
  return text
    .split(COMMAND)
    .map((part, index) => (index % 2 === 1 ? <code key={part}>{part}</code> : part));
}

function OtherSeries({ id, titleOf }: { id: string; titleOf: IncidentViewProps['titleOf'] }) {
  const query = useQuery(changeQuery(id));
  return (
    <Loaded<ChangeOut> query={query} loading={<LoadingState lines={8} height={32} />}>
      {(change) => <IncidentChart change={change} metricTitle={titleOf(change.metric)} />}
    </Loaded>
  );
}
