import { Link } from '@tanstack/react-router';
import { api } from '@/api/client';
import { Hint } from '@/components/Hint';
import { formatCount, joinWords } from '@/lib/format';
import { encodePlan } from '@/lib/run-plan';
import { planOfRequest } from '@/lib/run-request';
import classes from './NotMeasured.module.css';
import { listUnmeasured, type MeasuredLoad } from './unmeasured';

interface NotMeasuredProps {
  loads: readonly MeasuredLoad[];
  /** Name of the host that measured them; it measures the others too. */
  host?: string | null;
}

/** Names the frameworks of the catalogue without a result here, and links to the run of them. */
export function NotMeasured({ loads, host: measured }: NotMeasuredProps) {
  const { data } = api.useQuery('get', '/api/v1/frameworks');
  const catalogue = data?.items ?? [];
  // Hosts of examples are not here.
  const host = catalogue.some(({ digests }) => measured && measured in digests) ? measured : null;
  const missing = listUnmeasured(catalogue, loads, host ?? undefined);
  // The line keeps its place until the catalogue is loaded, so that nothing moves.
  if (missing.length === 0) return <p className={classes.line} />;
  const names = [
    ...new Set(missing.flatMap(({ frameworks }) => frameworks.map(({ name }) => name))),
  ].sort((one, other) => one.localeCompare(other));
  const cells = missing.flatMap(({ scenario, frameworks }) =>
    loads
      .filter((load) => load.scenario === scenario)
      .flatMap(({ profile, parameters }) =>
        frameworks.map(({ slug }) => ({ framework: slug, scenario, profile, parameters })),
      ),
  );
  return (
    <p className={classes.line}>
      <Hint text={`${joinWords(names)}.`}>{formatCount(names.length, 'framework')}</Hint>{' '}
      {names.length === 1 ? 'is' : 'are'} not measured here:{' '}
      <Link to="/runs/new" search={encodePlan(planOfRequest({ cells, ...(host && { host }) }))}>
        measure {names.length === 1 ? 'it' : 'them'}
      </Link>
      .
    </p>
  );
}
