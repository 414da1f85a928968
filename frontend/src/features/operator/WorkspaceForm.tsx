import { Button, NumberInput, TextInput } from '@mantine/core';
import { explainField } from '@/api/client';
import type { Workspace } from '@/api/workspaces';
import { Refusal } from '@/components/Refusal';
import { useDraft } from '@/lib/drafts';
import classes from './Operator.module.css';

interface Values {
  name: string;
  max_queued_trials: number | null;
  max_bench_minutes: number | null;
}

interface WorkspaceFormProps {
  /** The workspace to change; none for a new one, which begins with the limits of the installation. */
  workspace?: Workspace;
  button: string;
  /** The state of the request. */
  sending: { error: Error | null; isPending: boolean };
  onSubmit: (values: Values) => void;
}

/** Edits the name and the limits of a workspace. */
export function WorkspaceForm({ workspace, button, sending, onSubmit }: WorkspaceFormProps) {
  const draft = `workspace.${workspace?.slug ?? ''}`;
  const [name, setName] = useDraft(`${draft}.name`, workspace?.name ?? '');
  const [trials, setTrials] = useDraft(`${draft}.trials`, workspace?.max_queued_trials ?? null);
  const [minutes, setMinutes] = useDraft(`${draft}.minutes`, workspace?.max_bench_minutes ?? null);
  const faults = {
    name: explainField(sending.error, 'name'),
    trials: explainField(sending.error, 'max_queued_trials'),
    minutes: explainField(sending.error, 'max_bench_minutes'),
  };
  const isExplained = Object.values(faults).some((fault) => fault !== null);
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit({
          name: name.trim(),
          max_queued_trials: trials,
          max_bench_minutes: minutes,
        });
      }}
    >
      <TextInput
        label="Name"
        maxLength={200}
        required
        data-autofocus
        value={name}
        error={faults.name}
        onChange={(event) => {
          setName(event.currentTarget.value);
        }}
      />
      {workspace && (
        <>
          <LimitInput
            label="Queued trials"
            value={trials}
            fault={faults.trials}
            onChange={setTrials}
          />
          <LimitInput
            label="Bench minutes in 24 hours"
            value={minutes}
            fault={faults.minutes}
            onChange={setMinutes}
          />
        </>
      )}
      {sending.error && !isExplained && <Refusal error={sending.error} />}
      <div>
        <Button type="submit" loading={sending.isPending} disabled={name.trim() === ''}>
          {button}
        </Button>
      </div>
    </form>
  );
}

interface LimitInputProps {
  label: string;
  value: number | null;
  fault: string | null;
  onChange: (value: number | null) => void;
}

function LimitInput({ label, value, fault, onChange }: LimitInputProps) {
  return (
    <NumberInput
      label={label}
      description="Empty: the limit of the installation. 0: no limit."
      min={0}
      allowDecimal={false}
      thousandSeparator=","
      value={value ?? ''}
      error={fault}
      onChange={(typed) => {
        onChange(typed === '' ? null : Number(typed));
      }}
    />
  );
}
