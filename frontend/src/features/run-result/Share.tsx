import { Button, Modal, SegmentedControl, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconLink } from '@tabler/icons-react';
import { isFinished, type Run, useChangeRun, type Visibility } from '@/api/runs';
import { CodeBlock } from '@/components/CodeBlock';
import { Refusal } from '@/components/Refusal';
import classes from './Share.module.css';

const VISIBILITIES: readonly { value: Visibility; label: string; means: string }[] = [
  {
    value: 'private',
    label: 'Private',
    means: 'Visible only to members of this installation.',
  },
  {
    value: 'unlisted',
    label: 'Unlisted',
    means: 'Anyone with the link can open it. No list shows it to visitors.',
  },
  {
    value: 'public',
    label: 'Public',
    means: 'Everyone who reaches this installation can find it.',
  },
];

interface ShareProps {
  run: Run;
  /** The permalink's view: who may read it is for its owner to say. */
  readOnly: boolean;
}

/** The link, who may follow it, and what it looks like where it is posted. */
export function Share({ run, readOnly }: ShareProps) {
  const [opened, { open, close }] = useDisclosure(false);
  const change = useChangeRun(run.id);
  const visibility = change.data?.visibility ?? run.visibility;
  const set = (value: Visibility) => {
    change.mutate({ visibility: value });
  };
  return (
    <>
      <Button
        variant="default"
        size="xs"
        leftSection={<IconLink size={14} aria-hidden />}
        onClick={open}
      >
        Share
      </Button>
      <Modal opened={opened} onClose={close} title="Share this run" size="lg" centered>
        <Stack gap={16}>
          <CodeBlock label="Permalink" code={`${window.location.origin}${run.permalink}`} />
          {!readOnly && (
            <div>
              <SegmentedControl
                aria-label="Who may read it"
                data={VISIBILITIES.map(({ value, label }) => ({ value, label }))}
                value={visibility}
                disabled={change.isPending}
                onChange={(value) => {
                  set(value);
                }}
              />
              <p className={classes.means} role="status">
                {VISIBILITIES.find(({ value }) => value === visibility)?.means}
              </p>
            </div>
          )}
          {change.error && (
            <Refusal
              error={change.error}
              onSignedIn={() => {
                if (change.variables.visibility) set(change.variables.visibility);
              }}
            />
          )}
          {isFinished(run.status) && visibility !== 'private' && (
            <figure className={classes.preview}>
              <img
                src={`${run.permalink}/preview.png`}
                alt="The run's title, its result in words, and a bar a framework"
                width={1200}
                height={630}
              />
              <figcaption>What the link looks like where it is posted.</figcaption>
            </figure>
          )}
        </Stack>
      </Modal>
    </>
  );
}
