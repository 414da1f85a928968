import { Box, SegmentedControl, Stack } from '@mantine/core';
import { api } from '@/api/client';
import { isFinished } from '@/api/runs';
import type { RunOut } from '@/api/schema';
import { useMay } from '@/api/session';
import { CodeBlock } from '@/components/CodeBlock';
import { Dialog } from '@/components/Dialog';
import { Refusal } from '@/components/Refusal';
import classes from './ShareDialog.module.css';

const VISIBILITIES: readonly { value: RunOut['visibility']; label: string; means: string }[] = [
  {
    value: 'private',
    label: 'Private',
    means: 'Visible only to members of this workspace.',
  },
  {
    value: 'unlisted',
    label: 'Unlisted',
    means: 'Anyone with the link can open it. It is not listed for visitors.',
  },
  {
    value: 'public',
    label: 'Public',
    means: 'Listed for everyone who can reach this installation.',
  },
];

interface ShareDialogProps {
  run: RunOut;
  opened: boolean;
  onClose: () => void;
}

/** Draws the permalink, for members of its workspace the visibility, and the preview picture. */
export function ShareDialog({ run, opened, onClose }: ShareDialogProps) {
  const change = api.useMutation('patch', '/api/v1/runs/{run_id}');
  const mayChange = useMay('manage');
  const visibility = change.data?.visibility ?? run.visibility;
  const set = (value: RunOut['visibility']) =>
    change.mutate({ params: { path: { run_id: run.id } }, body: { visibility: value } });
  return (
    <Dialog opened={opened} onClose={onClose} title="Share this run" size="lg" centered>
      <Stack gap={16}>
        <CodeBlock label="Permalink" code={`${window.location.origin}${run.permalink}`} />
        {run.is_own && (
          <div>
            <SegmentedControl
              aria-label="Visibility"
              data={VISIBILITIES.map(({ value, label }) => ({ value, label }))}
              value={visibility}
              disabled={change.isPending || !mayChange}
              onChange={(value) => set(value)}
            />
            <Box component="p" m="8px 0 0" c="dimmed" role="status">
              {VISIBILITIES.find(({ value }) => value === visibility)?.means}
            </Box>
          </div>
        )}
        {change.error && <Refusal error={change.error} />}
        {isFinished(run.status) && visibility !== 'private' && (
          <figure className={classes.preview}>
            <img
              src={`${run.permalink}/preview.png`}
              alt="The run's title, its result in words, and one bar per framework"
              width={1200}
              height={630}
            />
            <figcaption>Preview of the link when it is posted.</figcaption>
          </figure>
        )}
      </Stack>
    </Dialog>
  );
}
