import { Button, Menu, Modal } from '@mantine/core';
import { useClipboard, useDisclosure } from '@mantine/hooks';
import {
  IconCheck,
  IconChevronDown,
  IconDownload,
  IconLink,
  IconPinned,
} from '@tabler/icons-react';
import { comparisonExportUrl, useKeepComparison } from '@/api/comparisons';
import { Refusal } from '@/components/Refusal';

const FORMATS = [
  ['json', 'JSON: everything'],
  ['csv', 'CSV: a row a result and metric'],
  ['md', 'Markdown: tables'],
] as const;

interface KeepProps {
  cells: readonly string[];
  baseline: string;
  /** Called with the hash under which it is kept. */
  onKept: (hash: string) => void;
}

/** Makes a permalink of what is shown now, that nothing later can change. */
export function KeepButton({ cells, baseline, onKept }: KeepProps) {
  const keep = useKeepComparison();
  const [opened, { open, close }] = useDisclosure(false);
  const start = () => {
    keep.mutate(
      { cells: [...cells], baseline },
      {
        onSuccess: ({ hash }) => {
          onKept(hash);
        },
        onError: open,
      },
    );
  };
  return (
    <>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconPinned size={14} aria-hidden />}
        loading={keep.isPending}
        onClick={start}
      >
        Make a permalink
      </Button>
      <Modal opened={opened} onClose={close} title="The comparison was not kept" centered>
        {keep.error && (
          <Refusal
            error={keep.error}
            onSignedIn={() => {
              close();
              start();
            }}
          />
        )}
      </Modal>
    </>
  );
}

/** Share and take away a comparison that is kept. */
export function KeptActions({ hash }: { hash: string }) {
  const clipboard = useClipboard({ timeout: 2000 });
  return (
    <>
      <Button
        variant="default"
        size="xs"
        leftSection={clipboard.copied ? <IconCheck size={14} /> : <IconLink size={14} />}
        onClick={() => {
          clipboard.copy(`${window.location.origin}/c/${hash}`);
        }}
      >
        {clipboard.copied ? 'Link copied' : 'Share'}
      </Button>
      <Menu position="bottom-end" shadow="none">
        <Menu.Target>
          <Button
            variant="default"
            size="xs"
            leftSection={<IconDownload size={14} aria-hidden />}
            rightSection={<IconChevronDown size={14} aria-hidden />}
          >
            Export
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {FORMATS.map(([format, label]) => (
            <Menu.Item key={format} component="a" href={comparisonExportUrl(hash, format)} download>
              {label}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
    </>
  );
}
