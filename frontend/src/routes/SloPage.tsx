import type { ReactNode } from 'react';
import { PageHeader } from '@/components/Page';
import { SloList } from '@/features/slos/SloList';

/** The limits of a workspace for results. */
export function SloPage(): ReactNode {
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
