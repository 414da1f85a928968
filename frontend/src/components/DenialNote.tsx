import { Group } from '@mantine/core';
import { IconLock } from '@tabler/icons-react';
import type { Denial } from '@/lib/denial';
import { SignInLink } from './SignInLink';
import { EmptyState, SignInState } from './States';

interface DenialNoteProps {
  /** Draws nothing if it is null. */
  denial: Denial | null;
  /** The action, such as "start runs". */
  action: string;
}

/** Shows in one line why an action is not possible, in place of its button. */
export function DenialNote({ denial, action }: DenialNoteProps) {
  if (denial === null) return null;
  return (
    <Group component="p" gap="4px 8px" c="dimmed">
      <IconLock size={14} aria-hidden style={{ flex: 'none' }} />
      <span>{denial.canSignIn ? `Sign in to ${action}.` : denial.reason}</span>
      {denial.canSignIn && <SignInLink size="compact-xs" variant="default" />}
    </Group>
  );
}

/** Shows why a page has no content, in place of the content. */
export function DenialState({ denial, action }: { denial: Denial; action: string }) {
  if (!denial.canSignIn) {
    return <EmptyState title={`You cannot ${action}`}>{denial.reason}</EmptyState>;
  }
  return <SignInState action={action} />;
}
