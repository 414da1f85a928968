import { Button, Menu, Modal, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconChevronDown, IconDownload, IconPlayerStop, IconRepeat } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { exportUrl, isFinished, type Run, useCancelRun, useRerun } from '@/api/runs';
import { CodeBlock } from '@/components/CodeBlock';
import { Refusal } from '@/components/Refusal';
import { curlCommand, shellCommand } from './reproduce';
import { Share } from './Share';

const FORMATS = [
  ['html', 'HTML: offline page'],
  ['json', 'JSON: all data'],
  ['csv', 'CSV: one row per trial'],
  ['md', 'Markdown: tables'],
] as const;

interface RunActionsProps {
  run: Run;
  /** Whether this is the permalink, which cannot change the run. */
  readOnly: boolean;
}

/** Draws the actions of a run: share, export and reproduce it, or cancel it while it runs. */
export function RunActions({ run, readOnly }: RunActionsProps) {
  const finished = isFinished(run.status);
  return (
    <>
      <Share run={run} readOnly={readOnly} />
      {finished && <ExportMenu run={run} />}
      {finished && <Reproduce run={run} readOnly={readOnly} />}
      {!finished && !readOnly && <CancelRun run={run} />}
    </>
  );
}

function ExportMenu({ run }: { run: Run }) {
  return (
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
          <Menu.Item key={format} component="a" href={exportUrl(run.id, format)} download>
            {label}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item
          onClick={() => {
            window.print();
          }}
        >
          Print, or save as PDF
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function Reproduce({ run, readOnly }: RunActionsProps) {
  const [opened, { open, close }] = useDisclosure(false);
  const rerun = useRerun(run.id);
  const navigate = useNavigate();
  const start = () => {
    rerun.mutate(undefined, {
      onSuccess: (next) => void navigate({ to: '/runs/$run', params: { run: next.slug } }),
    });
  };
  return (
    <>
      <Button
        variant="default"
        size="xs"
        leftSection={<IconRepeat size={14} aria-hidden />}
        onClick={open}
      >
        Reproduce
      </Button>
      <Modal opened={opened} onClose={close} title="Reproduce this run" size="lg" centered>
        <Stack gap={16}>
          {!readOnly && (
            <div>
              <Button
                leftSection={<IconRepeat size={16} aria-hidden />}
                loading={rerun.isPending}
                onClick={start}
              >
                Run again on {run.host}
              </Button>
            </div>
          )}
          {rerun.error && (
            <Refusal
              error={rerun.error}
              onSignedIn={() => {
                start();
              }}
            />
          )}
          {run.purpose === 'confirmation' ? (
            <p style={{ margin: 0 }}>
              A confirmation run uses builds that are stored on {run.host}, so it can only be
              repeated there.
            </p>
          ) : (
            <>
              <CodeBlock label="From a shell" code={shellCommand(run)} />
              <CodeBlock
                label="Through the REST API"
                code={curlCommand(run, window.location.origin)}
              />
            </>
          )}
        </Stack>
      </Modal>
    </>
  );
}

function CancelRun({ run }: { run: Run }) {
  const cancel = useCancelRun(run.id);
  return (
    <>
      <Button
        variant="default"
        c="var(--tacho-bad)"
        size="xs"
        leftSection={<IconPlayerStop size={14} aria-hidden />}
        loading={cancel.isPending}
        disabled={run.cancel_requested}
        onClick={() => {
          cancel.mutate();
        }}
      >
        {run.cancel_requested ? 'Cancelling…' : 'Cancel run'}
      </Button>
      {cancel.error && (
        <Refusal
          error={cancel.error}
          onSignedIn={() => {
            cancel.mutate();
          }}
        />
      )}
    </>
  );
}
