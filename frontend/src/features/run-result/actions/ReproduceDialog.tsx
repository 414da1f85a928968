import { Button, Stack } from '@mantine/core';
import { IconRepeat } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { api, LEAVES } from '@/api/client';
import type { RunOut } from '@/api/schema';
import { useMay } from '@/api/session';
import { CodeBlock } from '@/components/CodeBlock';
import { Dialog } from '@/components/Dialog';
import { Refusal } from '@/components/Refusal';
import { formatCount } from '@/lib/format';
import { curlCommand, originOf, shellCommand } from './reproduce';

const SHOWN_CHARACTERS = 10;

interface ReproduceDialogProps {
  run: RunOut;
  opened: boolean;
  onClose: () => void;
}

/** Draws the commands that repeat a run with the same files, and the button that queues it again. */
export function ReproduceDialog({ run, opened, onClose }: ReproduceDialogProps) {
  const rerun = api.useMutation('post', '/api/v1/runs/{run_id}/rerun', LEAVES);
  const navigate = useNavigate();
  const mayStart = useMay('run');
  const start = () =>
    rerun.mutate(
      { params: { path: { run_id: run.id } } },
      {
        onSuccess: (next) => void navigate({ to: '/r/$run', params: { run: next.slug } }),
      },
    );
  return (
    <Dialog opened={opened} onClose={onClose} title="Reproduce this run" size="lg" centered>
      <Stack gap={16}>
        {mayStart && !run.example && (
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
        {rerun.error && <Refusal error={rerun.error} />}
        {run.purpose === 'confirmation' ? (
          <p style={{ margin: 0 }}>
            A confirmation run uses builds that are stored on {run.host}, so it can only be repeated
            there.
          </p>
        ) : (
          <>
            <Measured run={run} />
            <CodeBlock label="From a shell" code={shellCommand(run, window.location.origin)} />
            <CodeBlock
              label="Through the REST API"
              code={curlCommand(run, window.location.origin)}
            />
          </>
        )}
      </Stack>
    </Dialog>
  );
}

/** Shows which files the run was measured with. */
function Measured({ run }: { run: RunOut }) {
  const { commit, wasChanged, version, frameworks } = originOf(run);
  return (
    <div>
      <p style={{ margin: 0 }}>
        Measured with Tacho {version ?? 'of an unknown version'}
        {commit !== null && (
          <>
            , commit <code>{commit.slice(0, SHOWN_CHARACTERS)}</code>
            {wasChanged && ' with local changes, which no commit contains'}
          </>
        )}
        . The commands below are refused if the files of a framework have changed since.
      </p>
      {frameworks.length > 0 && (
        <details>
          <summary>Digests of {formatCount(frameworks.length, 'framework')}</summary>
          <ul>
            {frameworks.map(({ name, digest }) => (
              <li key={name}>
                {name}: <code>{digest}</code>
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}
