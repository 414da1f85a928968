import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { RunView } from './RunView';

const route = getRouteApi('/runs/$run');

export function RunPage(): ReactNode {
  const { run } = route.useParams();
  const selection = route.useSearch();
  const navigate = useNavigate();
  return (
    <RunView
      key={run}
      run={run}
      readOnly={false}
      selection={selection}
      onSelect={(change) =>
        void navigate({
          to: '/runs/$run',
          params: { run },
          search: (now) => ({ ...now, ...change }),
          replace: true,
          resetScroll: false,
        })
      }
    />
  );
}
