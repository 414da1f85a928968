import { Button } from '@mantine/core';
import { useClipboard, useDisclosure } from '@mantine/hooks';
import { IconCheck, IconLink, IconPinned } from '@tabler/icons-react';
import { api, LEAVES } from '@/api/client';
import { useMay } from '@/api/session';
import { ExportMenu } from '@/components/ExportMenu';
import { Dialog } from '@/components/Dialog';
import { Refusal } from '@/components/Refusal';

const FORMATS = [
  ['json', 'JSON: all data'],
  ['csv', 'CSV: one row per result and metric'],
  ['md', 'Markdown: tables'],
] as const;

interface SaveProps {
  cells: readonly string[];
  baseline: string;
  /** Called with the hash of the snapshot. */
  onSaved: (hash: string) => void;
}

/** Saves what is shown now as a snapshot, which never changes, and makes a permalink to it. */
export function SaveButton({ cells, baseline, onSaved }: SaveProps) {
  const save = api.useMutation('post', '/api/v1/comparisons', LEAVES);
  const [opened, { open, close }] = useDisclosure(false);
  const maySave = useMay('run');
  if (!maySave) return null;
  const start = () =>
    save.mutate(
      { body: { cells: [...cells], baseline } },
      {
        onSuccess: ({ hash }) => onSaved(hash),
        onError: open,
      },
    );
  return (
    <>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconPinned size={14} aria-hidden />}
        loading={save.isPending}
        onClick={start}
      >
        Save snapshot
      </Button>
      <Dialog opened={opened} onClose={close} title="The snapshot was not saved" centered>
        {save.error && <Refusal error={save.error} />}
      </Dialog>
    </>
  );
}

/** Shares and exports a snapshot. */
export function SnapshotActions({ hash }: { hash: string }) {
  const clipboard = useClipboard({ timeout: 2000 });
  return (
    <>
      <Button
        variant="default"
        size="xs"
        leftSection={clipboard.copied ? <IconCheck size={14} /> : <IconLink size={14} />}
        onClick={() => clipboard.copy(`${window.location.origin}/c/${hash}`)}
      >
        {clipboard.copied ? 'Link copied' : 'Share'}
      </Button>
      <ExportMenu
        files={FORMATS.map(([format, label]) => [comparisonExportUrl(hash, format), label])}
      />
    </>
  );
}

/** Where a browser or a script fetches a snapshot. */
function comparisonExportUrl(hash: string, format: 'json' | 'csv' | 'md'): string {
  return `/api/v1/comparisons/${hash}/export.${format}`;
}
