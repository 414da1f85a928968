import { ActionIcon, Button, Menu } from '@mantine/core';
import { IconDots, IconDownload, IconExternalLink, IconPrinter } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { isFinished } from '@/api/runs';
import type { RunOut } from '@/api/schema';
import { Loaded } from '@/components/States';
import { AnswerCard } from '@/features/answer/AnswerCard';
import { RunFigures } from '@/features/run-result/figures/RunFigures';
import { answerQuery, runQuery } from '@/features/run-result/query';
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
  const run = useQuery(runQuery(slug));
  const select = (change: typeof selection) =>
    void navigate({
      search: (now) => ({ ...now, ...change }),
      replace: true,
      resetScroll: false,
    });
  return (
    <main className="shell-main">
      <Loaded query={useQuery(answerQuery(slug))}>
        {(answer) => (
          <AnswerCard
            answer={answer}
            onPick={(group) => select({ group })}
            actions={run.data && <FileActions run={run.data} />}
          />
        )}
      </Loaded>
      <Loaded query={run}>
        {(run) => (
          <>
            {!isFinished(run.status) && (
              <p className={classes.unfinished}>This file was saved before the run finished.</p>
            )}
            <RunResult
              run={run}
              selection={selection}
              onSelect={select}
              meta={<RunMeta run={run} />}
              Figures={Figures}
            />
            <Source run={run} />
          </>
        )}
      </Loaded>
    </main>
  );
}

const ICON = { size: 14, 'aria-hidden': true } as const;

function FileActions({ run }: { run: RunOut }) {
  const save = () => {
    const text = toDocument(readResponses(document));
    downloadText(`tacho-${run.slug}.json`, text, 'application/json');
  };
  return (
    <>
      <Button
        component="a"
        href={installationOrigin() + run.permalink}
        variant="default"
        size="xs"
        leftSection={<IconExternalLink {...ICON} />}
      >
        Open in Tacho
      </Button>
      <Menu position="bottom-end" shadow="none">
        <Menu.Target>
          <ActionIcon variant="default" size={30} aria-label="Download or print">
            <IconDots size={16} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconDownload {...ICON} />} onClick={save}>
            Download data
          </Menu.Item>
          <Menu.Item leftSection={<IconPrinter {...ICON} />} onClick={() => window.print()}>
            Print
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </>
  );
}

/** Names the permalink in full, which a printed page cannot open. */
function Source({ run }: { run: RunOut }) {
  const permalink = installationOrigin() + run.permalink;
  return (
    <footer className={classes.source}>
      <span>Saved from Tacho. This file contains all data of the run and works offline.</span>
      <a href={permalink}>{permalink}</a>
    </footer>
  );
}
