import { Button, Group, Stack, Text } from '@mantine/core';
import { type Run, useArchiveRun } from '@/api/runs';
import { Dialog } from '@/components/Dialog';
import { Refusal } from '@/components/Refusal';

interface ArchiveRunDialogProps {
  run: Run;
  opened: boolean;
  onClose: () => void;
}

/** Explains what archiving removes, and archives the run after a confirmation. */
export function ArchiveRunDialog({ run, opened, onClose }: ArchiveRunDialogProps) {
  const archive = useArchiveRun(run.id);
  return (
    <Dialog opened={opened} onClose={onClose} title={`Archive “${run.title}”?`} centered>
      <Stack gap="sm">
        <Text size="sm">
          Tacho removes the seconds of all trials. Heat maps and charts over time are lost, and this
          cannot be undone.
        </Text>
        <Text size="sm">
          The answer, the ranking, all estimates, the latency distributions, the values of each
          trial, and the logs stay. Links keep working.
        </Text>
        {archive.error && <Refusal error={archive.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Keep the seconds
          </Button>
          <Button
            color="red"
            loading={archive.isPending}
            onClick={() => {
              archive.mutate(undefined, { onSuccess: onClose });
            }}
          >
            Archive the run
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
