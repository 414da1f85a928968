import { useQuery } from '@tanstack/react-query';
import { changeQueries, type Change } from '@/api/changes';
import type { Incident, Shift } from '@/api/incidents';
import { Section } from '@/components/Page';
import { Loaded, LoadingState } from '@/components/States';
import { BuildDifferences } from './BuildDifferences';
import { ConfirmationRuns } from './ConfirmationRuns';
import { IncidentChart } from './IncidentChart';
import classes from './IncidentView.module.css';
import { ShiftTable } from './ShiftTable';

interface IncidentViewProps {
  incident: Incident;
  /** Id of the series to show in the chart; the largest by default. */
  series: string | undefined;
  titleOf: (metric: Shift['metric']) => string;
  onShow: (id: string) => void;
}

/** Shows an incident: what to do next, the chart, all series, the test, and what changed. */
export function IncidentView({ incident, series, titleOf, onShow }: IncidentViewProps) {
  const { shown, changes, note } = incident;
  // The URL may name a series that no longer belongs to the incident.
  const chosen = changes.find((change) => change.id === series)?.id ?? shown.id;
  return (
    <>
      <p className={classes.next}>
        <strong>Next step:</strong> {incident.next_step}
      </p>
      {note !== null && <p className={classes.note}>“{note}”</p>}
      {chosen === shown.id ? (
        <IncidentChart change={shown} metricTitle={titleOf(shown.metric)} />
      ) : (
        <OtherSeries id={chosen} titleOf={titleOf} />
      )}
      <Section title="Confirmation run">
        <ConfirmationRuns incident={incident} />
      </Section>
      <Section title="Series that shifted" hint="The largest shift first.">
        <ShiftTable shifts={changes} shown={chosen} titleOf={titleOf} onShow={onShow} />
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

function OtherSeries({ id, titleOf }: { id: string; titleOf: IncidentViewProps['titleOf'] }) {
  const query = useQuery(changeQueries.one(id));
  return (
    <Loaded<Change> query={query} loading={<LoadingState lines={8} height={32} />}>
      {(change) => <IncidentChart change={change} metricTitle={titleOf(change.metric)} />}
    </Loaded>
  );
}
