import type { Equality } from '@/api/schema';
import { named } from '@/components/data-table/column';
import { DataTable } from '@/components/data-table/DataTable';
import { formatCount } from '@/lib/format';
import ui from '@/components/ui.module.css';
import classes from './ResponseDifferences.module.css';

/** Lists the first differences between the responses of both versions. Services wrote these texts. */
export function ResponseDifferences({ load, responses }: { load: string; responses: Equality }) {
  const { compared, equal, differences } = responses;
  return (
    <DataTable
      label={`Different responses of ${load}`}
      layout="cards"
      rows={differences}
      rowKey={(_, index) => String(index)}
      caption={
        compared - equal > differences.length &&
        `${formatCount(compared - equal, 'response differs', 'responses differ')}. These are the first differences.`
      }
      empty="The differences are not recorded."
      columns={[
        {
          id: 'request',
          header: 'Request',
          isRowHeader: true,
          wraps: true,
          card: 'title',
          width: '24%',
          cell: ({ request }) => <code className={classes.text}>{request}</code>,
        },
        {
          id: 'place',
          ...named('Difference in'),
          wraps: true,
          width: '24%',
          cell: ({ place, varies }) => (
            <>
              <code className={classes.text}>{place}</code>
              {varies && <div className={ui.quiet}>Two answers of the base differ there, too.</div>}
            </>
          ),
        },
        {
          id: 'base',
          ...named('Base'),
          wraps: true,
          cell: ({ base }) => <code className={classes.text}>{base}</code>,
        },
        {
          id: 'head',
          ...named('Head'),
          wraps: true,
          cell: ({ head }) => <code className={classes.text}>{head}</code>,
        },
      ]}
    />
  );
}
