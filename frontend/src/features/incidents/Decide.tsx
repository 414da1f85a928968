import { Button, Menu, Textarea } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { useState } from 'react';
import type { ChangePatch, ChangeStatus } from '@/api/schema';
import { useMay } from '@/api/session';
import { Dialog } from '@/components/Dialog';
import { EntryForm } from '@/components/EntryForm';
import { WholeNumberInput } from '@/components/WholeNumberInput';
import { useDraftForm } from '@/lib/entries';
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

interface DecideProps {
  /** The name of the note that is kept if the session ends. */
  draft: string;
  decided: Decided;
  /** Sends the decision. */
  onSend: (body: ChangePatch) => Promise<unknown>;
  label?: string;
  size?: 'compact-xs' | 'xs';
}

/** Menu of decisions about a change or an incident. Each opens a dialog with a note. */
export function Decide({
  draft,
  decided,
  onSend,
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
            <Menu.Item key={decision.label} onClick={() => setDecision(decision)}>
              {decision.label}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {decision !== null && (
        <DecisionForm
          draft={draft}
          decided={decided}
          onSend={onSend}
          decision={decision}
          onClose={() => setDecision(null)}
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
  onSend: DecideProps['onSend'];
  decision: Decision;
  onClose: () => void;
}

function DecisionForm({ draft, decided, onSend, decision, onClose }: DecisionFormProps) {
  const form = useDraftForm(draft, {
    initialValues: { note: decided.note ?? '', pairs: suggestPairs(decided.pairs) },
  });
  const isTest = decision.status === 'testing';
  return (
    <Dialog opened onClose={onClose} title={decision.title} centered>
      <EntryForm
        form={form}
        button={decision.label}
        actions={
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
        }
        onSend={async ({ note, pairs }) => {
          const { status, acknowledged } = decision;
          await onSend({
            note: note.trim(),
            ...(status !== undefined && { status }),
            ...(acknowledged !== undefined && { acknowledged }),
            ...(isTest && { pairs }),
          });
          onClose();
        }}
      >
        <div>{decision.explains}</div>
        {isTest && (
          <WholeNumberInput
            label="Pairs of trials"
            description="More pairs detect smaller differences."
            value={form.values.pairs}
            error={form.errors.pairs}
            min={LEAST_PAIRS}
            max={MOST_PAIRS}
            onNumber={(pairs) => form.setFieldValue('pairs', pairs)}
          />
        )}
        <Textarea
          label="Note"
          description="Optional reason for this decision"
          maxLength={2000}
          autosize
          minRows={2}
          {...form.getInputProps('note')}
        />
      </EntryForm>
    </Dialog>
  );
}
