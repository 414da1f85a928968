import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { changeQueries } from '@/api/changes';
import { Section } from '@/components/Page';
import { ChangeList } from './ChangeList';

const MOST = 3;

/** Shows the latest confirmed changes. Draws nothing if there are none. */
export function ConfirmedChanges() {
  const { data: counts } = useQuery(changeQueries.counts());
  if (counts === undefined || counts.confirmed === 0) return null;
  return (
    <Section
      title="Latest confirmed changes"
      actions={
        <Link to="/changes" search={{}}>
          All changes
        </Link>
      }
    >
      <ChangeList filter={{ status: 'confirmed' }} limit={MOST} isBrief empty={null} />
    </Section>
  );
}
