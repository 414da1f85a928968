import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { RunView } from './RunView';

const route = getRouteApi('/r/$run');

/** The page of a run at its permalink. It offers what the permissions of the viewer allow. */
export function RunPage(): ReactNode {
  const { run } = route.useParams();
  const selection = route.useSearch();
  const navigate = useNavigate();
  return (
    <RunView
      key={run}
      run={run}
      selection={selection}
      onSelect={(change) =>
        void navigate({
          to: '/r/$run',
          params: { run },
          search: (now) => ({ ...now, ...change }),
          replace: true,
          resetScroll: false,
        })
      }
    />
  );
}
