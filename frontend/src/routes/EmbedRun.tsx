import { Box, Group, VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { isFinished } from '@/api/runs';
import type { RunOut } from '@/api/schema';
import { FigureLevelContext } from '@/charts/ChartFigure';
import { EmptyState, Loaded } from '@/components/States';
import { EmbeddedFigure } from '@/features/run-result/EmbeddedFigure';
import { runQuery } from '@/features/run-result/query';
import { useDocumentTitle } from '@/lib/hooks';

const route = getRouteApi('/embed/r/$run/$figure');

/** Shows a single figure of a run, to be embedded in other pages. */
export function EmbedRun(): ReactNode {
  const { run: slug } = route.useParams();
  return <Loaded query={useQuery(runQuery(slug))}>{(run) => <Embedded run={run} />}</Loaded>;
}

function Embedded({ run }: { run: RunOut }) {
  const { figure } = route.useParams();
  const selection = route.useSearch();
  const navigate = route.useNavigate();
  useDocumentTitle(run.title);
  return (
    <Box component="main" p="12px 16px">
      <VisuallyHidden component="h1">{run.title}</VisuallyHidden>
      {isFinished(run.status) ? (
        <FigureLevelContext value={2}>
          <EmbeddedFigure
            run={run}
            figure={figure}
            selection={selection}
            onSelect={(change) =>
              void navigate({ search: (now) => ({ ...now, ...change }), replace: true })
            }
          />
        </FigureLevelContext>
      ) : (
        <EmptyState title={run.title}>This run is not finished yet.</EmptyState>
      )}
      <Group
        component="footer"
        gap="md"
        align="normal"
        justify="space-between"
        wrap="nowrap"
        mt="xs"
        fz="xs"
        c="dimmed"
      >
        <a href={run.permalink} target="_blank" rel="noreferrer">
          {run.title}
        </a>
        <span>Tacho</span>
      </Group>
    </Box>
  );
}
