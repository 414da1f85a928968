import { Button, NumberInput } from '@mantine/core';
import { useState } from 'react';
import { explainField } from '@/api/client';
import type { Periods } from '@/api/retention';
import { Refusal } from '@/components/Refusal';
import { useDraft } from '@/lib/drafts';
import classes from './Retention.module.css';

const MOST_DAYS = 36_500;

interface PeriodsFormProps {
  /** The name of the draft that is kept if the session ends. */
  draft: string;
  periods: Periods;
  /** Explains an empty field. */
  whenEmpty: string;
  /** The state of the request. */
  sending: { error: Error | null; isPending: boolean };
  onSubmit: (periods: Periods, options: { onSuccess: () => void }) => void;
}

/** Edits for how many days seconds and logs are kept. */
export function PeriodsForm({ draft, periods, whenEmpty, sending, onSubmit }: PeriodsFormProps) {
  const [seconds, setSeconds] = useDraft(`${draft}.seconds`, periods.seconds_days);
  const [logs, setLogs] = useDraft(`${draft}.logs`, periods.logs_days);
  const [isSaved, setIsSaved] = useState(false);
  const faults = {
    seconds: explainField(sending.error, 'seconds_days'),
    logs: explainField(sending.error, 'logs_days'),
  };
  const isExplained = Object.values(faults).some((fault) => fault !== null);
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        setIsSaved(false);
        onSubmit(
          { seconds_days: seconds, logs_days: logs },
          {
            onSuccess: () => {
              setIsSaved(true);
            },
          },
        );
      }}
    >
      <DaysInput
        label="Seconds"
        hint={`Heat maps, charts over time and steps of each trial. ${whenEmpty}`}
        value={seconds}
        fault={faults.seconds}
        onChange={(days) => {
          setSeconds(days);
          setIsSaved(false);
        }}
      />
      <DaysInput
        label="Logs"
        hint={`Output of builds, services and load generators. ${whenEmpty}`}
        value={logs}
        fault={faults.logs}
        onChange={(days) => {
          setLogs(days);
          setIsSaved(false);
        }}
      />
      {sending.error && !isExplained && <Refusal error={sending.error} />}
      <div className={classes.submit}>
        <Button type="submit" loading={sending.isPending}>
          Save
        </Button>
        <span role="status">{isSaved ? 'Saved.' : ''}</span>
      </div>
    </form>
  );
}

interface DaysInputProps {
  label: string;
  hint: string;
  value: number | null;
  fault: string | null;
  onChange: (days: number | null) => void;
}

function DaysInput({ label, hint, value, fault, onChange }: DaysInputProps) {
  return (
    <NumberInput
      label={label}
      description={hint}
      suffix=" days"
      min={1}
      max={MOST_DAYS}
      allowDecimal={false}
      allowNegative={false}
      value={value ?? ''}
      error={fault}
      onChange={(typed) => {
        onChange(typed === '' ? null : Number(typed));
      }}
    />
  );
}
