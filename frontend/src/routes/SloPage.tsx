import type { ReactNode } from 'react';
import { PageHeader } from '@/components/Page';
import { SloList } from '@/features/slos/SloList';
import { useDocumentTitle } from '@/lib/hooks';

/** The limits of a workspace for results. */
export function SloPage(): ReactNode {
  useDocumentTitle('Limits');
  return (
    <>
      <PageHeader
        title="Limits"
        meta="Every run is checked against these limits: on its page, in the API, and in the exit code of tacho run --wait. A webhook reports what a scheduled run misses."
      />
      <SloList />
    </>
  );
}
