import { Button, TextInput } from '@mantine/core';
import type { Timing } from '@/api/schedules';
import { Refusal } from '@/components/Refusal';
import type { ShownError } from '@/components/States';
import { useDraft } from '@/lib/drafts';
import classes from './Schedules.module.css';
import { type TimingDraft, toCron } from './timing';
import { TimingFields } from './TimingFields';

interface ScheduleFormProps {
  /** The name of the entries that are kept if the session ends. */
  draft: string;
  name: string;
  timing: TimingDraft;
  button: string;
  error: ShownError | null;
  busy: boolean;
  onSubmit: (asked: Timing & { name: string }) => void;
  onCancel?: () => void;
}

/** Name and time of a schedule. */
export function ScheduleForm(props: ScheduleFormProps) {
  const [name, setName] = useDraft(`${props.draft}.name`, props.name);
  const [draft, setDraft] = useDraft(`${props.draft}.timing`, props.timing);
  const submit = () => {
    props.onSubmit({ name: name.trim(), cron: toCron(draft), time_zone: draft.timeZone });
  };
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <TextInput
        className={classes.wide}
        label="Name"
        description="Used as the title of its runs, unless the run has a title."
        maxLength={200}
        required
        value={name}
        onChange={(event) => {
          setName(event.currentTarget.value);
        }}
      />
      <TimingFields draft={draft} onChange={setDraft} />
      {props.error && <Refusal error={props.error} />}
      <div className={classes.actions}>
        <Button type="submit" loading={props.busy}>
          {props.button}
        </Button>
        {props.onCancel && (
          <Button variant="subtle" color="gray" onClick={props.onCancel}>
            Cancel
          </Button>
        )}
      </div>
    </form>
  );
}
