import { api } from '@/api/client';
import type { DisagreementOut } from '@/api/schema';
import { DataTable } from '@/components/data-table/DataTable';
import ui from '@/components/ui.module.css';
import { formatFigure, formatInterval, formatValue, words } from '@/lib/format';
import { TACHO } from '@/lib/shell';
import classes from './Calibration.module.css';

const LOADS: Record<string, string> = { rate: 'fixed rate', saturate: 'saturated' };

/** Shows what two load generators measured on the same service, and their disagreement. */
export function TwoGenerators({
  disagreements,
}: {
  disagreements: readonly DisagreementOut[] | null;
}) {
  return (
    <>
      <h3 className={classes.title}>Two load generators</h3>
      <p className={classes.hint}>
        As a cross-check, a second, independent load generator measured the same starts of the
        reference service. The intervals of ratios on this host are widened by the disagreement,
        because it is not known which of the two is right.
      </p>
      {disagreements === null ? (
        <p className={ui.quiet}>
          This calibration used only one load generator. Calibrate the host again with{' '}
          <code>{`${TACHO} doctor --calibrate`}</code>.
        </p>
      ) : (
        <DisagreementTable disagreements={disagreements} />
      )}
    </>
  );
}

function DisagreementTable({ disagreements }: { disagreements: readonly DisagreementOut[] }) {
  const metrics = api.useQuery('get', '/api/v1/metrics').data?.items ?? [];
  const infoOf = (metric: string) => metrics.find((row) => row.metric === metric);
  const show = (metric: string, value: number) => formatValue(value, infoOf(metric)?.unit ?? '');
  return (
    <DataTable
      label="Two load generators"
      rows={disagreements}
      rowKey={({ metric, kind, generator }) => `${metric} ${kind} ${generator}`}
      columns={[
        {
          header: 'Metric',
          isRowHeader: true,
          cell: ({ metric, kind }) =>
            `${infoOf(metric)?.title ?? words(metric)}, ${LOADS[kind] ?? words(kind)}`,
        },
        {
          header: 'Disagreement',
          isNumeric: true,
          cell: ({ size }) => <strong>{formatFigure(size)}×</strong>,
        },
        { header: 'Tacho', isNumeric: true, cell: ({ metric, ours }) => show(metric, ours) },
        {
          header: 'Cross-check',
          isNumeric: true,
          cell: ({ metric, theirs }) => show(metric, theirs),
        },
        {
          header: 'Tacho ÷ cross-check',
          isNumeric: true,
          cell: ({ ratio, low, high }) =>
            [formatFigure(ratio), formatInterval(ratio, low, high, '')].filter(Boolean).join(' '),
        },
        { header: 'Cross-check generator', cell: ({ generator }) => generator },
        { header: 'Trials', isNumeric: true, cell: ({ trials }) => trials },
      ]}
    />
  );
}
