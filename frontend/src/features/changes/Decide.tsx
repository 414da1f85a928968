import { Button, Group, Menu, Modal, Stack, Textarea } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { useState } from 'react';
import { type Change, useDecideChange } from '@/api/changes';
import { Refusal } from '@/components/Refusal';
import { WholeNumberInput } from '@/components/WholeNumberInput';
import { type Decision, listDecisions } from './statuses';

const [LEAST_PAIRS, USUAL_PAIRS, MOST_PAIRS] = [5, 20, 100];

/** Menu of decisions about a change. Each opens a dialog with a note. */
export function Decide({ change }: { change: Change }) {
  const [decision, setDecision] = useState<Decision | null>(null);
  return (
    <>
      <Menu position="bottom-end" shadow="none">
        <Menu.Target>
          <Button
            mt={4}
            variant="default"
            size="compact-xs"
            rightSection={<IconChevronDown size={12} aria-hidden />}
          >
            Decide
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {listDecisions(change.status).map((decision) => (
            <Menu.Item
              key={decision.status}
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
          change={change}
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
function suggestPairs({ confirmation }: Change): number {
  return Math.min(MOST_PAIRS, Math.max(USUAL_PAIRS, 2 * (confirmation?.pairs ?? 0)));
}

interface DecisionFormProps {
  change: Change;
  decision: Decision;
  onClose: () => void;
}

function DecisionForm({ change, decision, onClose }: DecisionFormProps) {
  const decide = useDecideChange(change.id);
  const [note, setNote] = useState(change.note ?? '');
  const [pairs, setPairs] = useState(() => suggestPairs(change));
  const isTest = decision.status === 'testing';
  const submit = () => {
    decide.mutate(
      { status: decision.status, note: note.trim(), ...(isTest && { pairs }) },
      { onSuccess: onClose },
    );
  };
  return (
    <Modal opened onClose={onClose} title={decision.title} centered>
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
          {decide.error && (
            <Refusal
              error={decide.error}
              onSignedIn={() => {
                submit();
              }}
            />
          )}
          <Group gap={8} justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={decide.isPending}>
              {decision.label}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
