import { Menu } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import {
  IconArchive,
  IconArrowsLeftRight,
  IconDownload,
  IconPrinter,
  IconRepeat,
  IconTrash,
} from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { Suspense } from 'react';
import { exportUrl } from '@/api/runs';
import type { RunOut } from '@/api/schema';
import { useMay } from '@/api/session';
import { chooseCells } from '@/components/CompareChosen';
import type { MenuButtonElement } from '@/components/MenuButton';
import { OpenedMenu } from '@/components/OpenedMenu';
import { useEver } from '@/lib/hooks';
import { ArchiveRunDialog, DeleteRunDialog, ReproduceDialog } from './lazy';

const FORMATS = [
  ['html', 'HTML: offline page'],
  ['json', 'JSON: all data'],
  ['csv', 'CSV: one row per trial'],
  ['seconds.csv', 'CSV: one row per second'],
  ['md', 'Markdown: tables'],
  ['bib', 'BibTeX: to cite the run'],
] as const;

const ICON = { size: 14, 'aria-hidden': true } as const;

/** Draws the menu to export, reproduce, compare, archive and delete a finished run. */
export function RunMenu({ run, button }: { run: RunOut; button: MenuButtonElement }) {
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
      <OpenedMenu button={button}>
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
        <Menu.Item leftSection={<IconPrinter {...ICON} />} onClick={() => window.print()}>
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
      </OpenedMenu>
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
