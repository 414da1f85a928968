import { Group } from '@mantine/core';
import { type ShownVerdict, Verdicts } from '@/components/VerdictBadge';

interface SharedNotesProps {
  /** Whether some results are excluded, whose warnings do not count. */
  hasExcluded: boolean;
  warnings: readonly ShownVerdict[];
  /** Sentences about roles that share CPUs. */
  sharing: readonly string[];
}

/** Shows once what holds for all results: their common warnings, and shared CPUs. */
export function SharedNotes({ hasExcluded, warnings, sharing }: SharedNotesProps) {
  if (warnings.length === 0 && sharing.length === 0) return null;
  return (
    <Group gap="4px 16px" mb="xs" c="dimmed">
      {warnings.length > 0 && (
        <Group component="span" display="inline-flex" gap="4px 8px">
          {hasExcluded ? 'All results that are not excluded' : 'All results'}:{' '}
          <Verdicts verdicts={warnings} />
        </Group>
      )}
      {sharing.length > 0 && <span>{sharing.join(' ')}</span>}
    </Group>
  );
}
