import { ActionIcon, Button, Menu } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import {
  IconArchive,
  IconArrowsLeftRight,
  IconDots,
  IconDownload,
  IconPrinter,
  IconRepeat,
  IconTrash,
} from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { Suspense } from 'react';
import { exportUrl, isFinished } from '@/api/runs';
import type { RunOut } from '@/api/schema';
import { useMay } from '@/api/session';
import { chooseCells } from '@/components/CompareChosen';
import { CancelButton } from '@/components/CancelButton';
import { useEver } from '@/lib/hooks';
import { ArchiveRunDialog, DeleteRunDialog, ReproduceDialog } from './lazy';
import { Share } from './Share';

const FORMATS = [
  ['html', 'HTML: offline page'],
  ['json', 'JSON: all data'],
  ['csv', 'CSV: one row per trial'],
  ['seconds.csv', 'CSV: one row per second'],
  ['md', 'Markdown: tables'],
  ['bib', 'BibTeX: to cite the run'],
] as const;

/**
 * Draws the actions of a run: share, export, reproduce, compare, archive and delete it, or cancel
 * it. Only members of its workspace can change it, with the permission for each change.
 */
export function RunActions({ run }: { run: RunOut }) {
  const finished = isFinished(run.status);
  const mayCancel = useMay('run') && run.is_own;
  return (
    <>
      <Share run={run} />
      {finished && <MoreActions run={run} />}
      {!finished && mayCancel && <CancelRun run={run} />}
    </>
  );
}

const ICON = { size: 14, 'aria-hidden': true } as const;

/** One menu, so that the actions never take more than one line. */
function MoreActions({ run }: { run: RunOut }) {
  const [reproducing, { open, close }] = useDisclosure(false);
  const [deleting, deletion] = useDisclosure(false);
  const [archiving, archive] = useDisclosure(false);
  const wasReproducing = useEver(reproducing);
  const wasDeleting = useEver(deleting);
  const wasArchiving = useEver(archiving);
  const mayDelete = useMay('manage') && run.is_own && !run.example;
  const mayArchive = mayDelete && run.study == null && run.removal?.seconds_at == null;
  const measured = run.cells.filter((cell) => cell.trials_succeeded > 0);
  return (
    <>
      <Menu position="bottom-end" shadow="none">
        <Menu.Target>
          <ActionIcon variant="default" size={30} aria-label="Export, reproduce, compare">
            <IconDots size={16} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>Export</Menu.Label>
          {FORMATS.map(([format, label]) => (
            <Menu.Item
              key={format}
              component="a"
              href={exportUrl(run.id, format)}
              download
              leftSection={<IconDownload {...ICON} />}
            >
              {label}
            </Menu.Item>
          ))}
          <Menu.Item
            leftSection={<IconPrinter {...ICON} />}
            onClick={() => {
              window.print();
            }}
          >
            Print, or save as PDF
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item leftSection={<IconRepeat {...ICON} />} onClick={open}>
            Reproduce
          </Menu.Item>
          {measured.length > 0 && (
            <Menu.Item
              leftSection={<IconArrowsLeftRight {...ICON} />}
              renderRoot={(props) => (
                <Link to="/compare" search={chooseCells(measured.map(({ id }) => id))} {...props} />
              )}
            >
              Compare with others
            </Menu.Item>
          )}
          {mayDelete && (
            <>
              <Menu.Divider />
              {mayArchive && (
                <Menu.Item leftSection={<IconArchive {...ICON} />} onClick={archive.open}>
                  Archive run…
                </Menu.Item>
              )}
              <Menu.Item
                c="var(--tacho-bad)"
                leftSection={<IconTrash {...ICON} />}
                onClick={deletion.open}
              >
                Delete run…
              </Menu.Item>
            </>
          )}
        </Menu.Dropdown>
      </Menu>
      <Suspense>
        {wasReproducing && <ReproduceDialog run={run} opened={reproducing} onClose={close} />}
        {mayDelete && wasArchiving && (
          <ArchiveRunDialog run={run} opened={archiving} onClose={archive.close} />
        )}
        {mayDelete && wasDeleting && (
          <DeleteRunDialog run={run} opened={deleting} onClose={deletion.close} />
        )}
      </Suspense>
    </>
  );
}

function CancelRun({ run }: { run: RunOut }) {
  if (run.cancel_requested) {
    return (
      <Button variant="default" size="xs" disabled>
        Cancelling…
      </Button>
    );
  }
  return (
    <CancelButton
      subject={{ kind: 'run', name: run.id, title: run.title }}
      label="Cancel run…"
      size="xs"
    />
  );
}
