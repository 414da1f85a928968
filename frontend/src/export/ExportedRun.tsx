import { Button } from '@mantine/core';
import { IconDownload, IconExternalLink, IconPrinter } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { isFinished, type Run, runQueries } from '@/api/runs';
import { PageHeader } from '@/components/Page';
import { Loaded } from '@/components/States';
import { RunFigures } from '@/features/run-result/figures/RunFigures';
import { RunResult } from '@/features/run-result/RunResult';
import { downloadText } from '@/lib/csv';
import { installationOrigin } from '@/lib/installation';
import { late } from '@/lib/late';
import { RunMeta } from '@/routes/RunMeta';
import classes from './ExportedRun.module.css';
import { readResponses, toDocument } from './responses';

const route = getRouteApi('/r/$run');
const Figures = late(RunFigures);

/** Shows the run of an exported file. */
export function ExportedRun(): ReactNode {
  const { run: slug } = route.useParams();
  const selection = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <main className={classes.page}>
      <Loaded query={useQuery(runQueries.one(slug))}>
        {(run) => (
          <>
            <PageHeader
              title={run.title}
              meta={<RunMeta run={run} />}
              actions={<FileActions run={run} />}
            />
            {!isFinished(run.status) && (
              <p className={classes.unfinished}>This file was saved before the run finished.</p>
            )}
            <RunResult
              run={run}
              selection={selection}
              onSelect={(search) => void navigate({ search, replace: true, resetScroll: false })}
              Figures={Figures}
            />
            <Source run={run} />
          </>
        )}
      </Loaded>
    </main>
  );
}

function FileActions({ run }: { run: Run }) {
  return (
    <>
      <Button
        component="a"
        href={installationOrigin() + run.permalink}
        variant="default"
        size="xs"
        leftSection={<IconExternalLink size={14} aria-hidden />}
      >
        Open in Tacho
      </Button>
      <Button
        variant="default"
        size="xs"
        leftSection={<IconDownload size={14} aria-hidden />}
        onClick={() => {
          const text = toDocument(readResponses(document));
          downloadText(`tacho-${run.slug}.json`, text, 'application/json');
        }}
      >
        Download data
      </Button>
      <Button
        variant="default"
        size="xs"
        leftSection={<IconPrinter size={14} aria-hidden />}
        onClick={() => {
          window.print();
        }}
      >
        Print
      </Button>
    </>
  );
}

/** Names the permalink in full, which a printed page cannot open. */
function Source({ run }: { run: Run }) {
  const permalink = installationOrigin() + run.permalink;
  return (
    <footer className={classes.source}>
      <span>Saved from Tacho. This file contains all data of the run and works offline.</span>
      <a href={permalink}>{permalink}</a>
    </footer>
  );
}
