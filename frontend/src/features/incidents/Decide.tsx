import { Button, Group, Menu, Stack, Textarea } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { useState } from 'react';
import type { ChangePatch, ChangeStatus } from '@/api/changes';
import { useMay } from '@/api/session';
import { Dialog } from '@/components/Dialog';
import { Refusal } from '@/components/Refusal';
import { WholeNumberInput } from '@/components/WholeNumberInput';
import { useDraft } from '@/lib/drafts';
import { type Decision, listDecisions } from './statuses';

const [LEAST_PAIRS, USUAL_PAIRS, MOST_PAIRS] = [5, 20, 100];

/** A change or an incident that a user decides about. */
export interface Decided {
  status: ChangeStatus;
  isOpen: boolean;
  note: string | null;
  /** Pairs of trials of the newest confirmation run, 0 without one. */
  pairs: number;
}

/** The state of the request that sends a decision. */
interface Sending {
  mutate: (body: ChangePatch, options: { onSuccess: () => void }) => void;
  error: Error | null;
  isPending: boolean;
}

interface DecideProps {
  /** The name of the note that is kept if the session ends. */
  draft: string;
  decided: Decided;
  sending: Sending;
  label?: string;
  size?: 'compact-xs' | 'xs';
}

/** Menu of decisions about a change or an incident. Each opens a dialog with a note. */
export function Decide({
  draft,
  decided,
  sending,
  label = 'Decide',
  size = 'compact-xs',
}: DecideProps) {
  const [decision, setDecision] = useState<Decision | null>(null);
  const mayDecide = useMay('run');
  if (!mayDecide) return null;
  return (
    <>
      <Menu position="bottom-end" shadow="none">
        <Menu.Target>
          <Button
            variant="default"
            size={size}
            aria-label={label}
            rightSection={<IconChevronDown size={12} aria-hidden />}
          >
            Decide
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {listDecisions(decided.status, decided.isOpen).map((decision) => (
            <Menu.Item
              key={decision.label}
              onClick={() => {
                setDecision(decision);
              }}
            >
              {decision.label}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {decision !== null && (
        <DecisionForm
          draft={draft}
          decided={decided}
          sending={sending}
          decision={decision}
          onClose={() => {
            setDecision(null);
          }}
        />
      )}
    </>
  );
}

/** Return twice the pairs of the last test, because another test needs to detect smaller differences. */
function suggestPairs(pairs: number): number {
  return Math.min(MOST_PAIRS, Math.max(USUAL_PAIRS, 2 * pairs));
}

interface DecisionFormProps {
  draft: string;
  decided: Decided;
  sending: Sending;
  decision: Decision;
  onClose: () => void;
}

function DecisionForm({ draft, decided, sending, decision, onClose }: DecisionFormProps) {
  const [note, setNote] = useDraft(`${draft}.note`, decided.note ?? '');
  const [pairs, setPairs] = useState(() => suggestPairs(decided.pairs));
  const isTest = decision.status === 'testing';
  const submit = () => {
    const { status, acknowledged } = decision;
    sending.mutate(
      {
        note: note.trim(),
        ...(status !== undefined && { status }),
        ...(acknowledged !== undefined && { acknowledged }),
        ...(isTest && { pairs }),
      },
      { onSuccess: onClose },
    );
  };
  return (
    <Dialog opened onClose={onClose} title={decision.title} centered>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <Stack gap={16}>
          <p style={{ margin: 0 }}>{decision.explains}</p>
          {isTest && (
            <WholeNumberInput
              label="Pairs of trials"
              description="More pairs detect smaller differences."
              value={pairs}
              min={LEAST_PAIRS}
              max={MOST_PAIRS}
              onNumber={setPairs}
            />
          )}
          <Textarea
            label="Note"
            description="Optional reason for this decision"
            value={note}
            maxLength={2000}
            autosize
            minRows={2}
            onChange={(event) => {
              setNote(event.currentTarget.value);
            }}
          />
          {sending.error && <Refusal error={sending.error} />}
          <Group gap={8} justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={sending.isPending}>
              {decision.label}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
