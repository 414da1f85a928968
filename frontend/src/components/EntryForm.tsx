import { Button, Group, Stack } from '@mantine/core';
import type { FormErrors, UseFormReturnType } from '@mantine/form';
import { type ReactNode, useState } from 'react';
import { placeProblems } from '@/lib/entries';
import { Refusal } from './Refusal';
import type { ShownError } from './States';

/** An error of the server. */
type ServerError = Error & ShownError & { problems?: readonly { field: string; detail: string }[] };

interface EntryFormProps<Values> {
  /** Its fields have the names of the request's. */
  form: UseFormReturnType<Values>;
  /** Sends the values. The submitter is the pressed button. */
  onSend: (values: Values, submitter: HTMLElement | null) => Promise<unknown>;
  /** Returns errors of fields that the response does not name, such as a wrong password. */
  explain?: (error: ServerError) => FormErrors;
  /** Label of the button, or none if nothing can be sent. */
  button: string | null;
  disabled?: boolean;
  /** Whether the button shows that it is working; by default while the values are sent. */
  loading?: boolean;
  /** Shown after the values were saved, until one changes. */
  done?: string;
  /** Shown next to the button. */
  actions?: ReactNode;
  /** The largest width, in pixels. */
  width?: number;
  children: ReactNode;
}

/** A form of the API: shows each error of the server at its field, and others above the button. */
export function EntryForm<Values extends Record<string, unknown>>(props: EntryFormProps<Values>) {
  const { form, onSend, explain, button, disabled = false, done, actions, width = 480 } = props;
  const [refusal, setRefusal] = useState<ShownError | null>(null);
  const [isDone, setIsDone] = useState(false);
  const send = async (values: Values, submitter: HTMLElement | null) => {
    setRefusal(null);
    setIsDone(false);
    try {
      await onSend(values, submitter);
      setIsDone(true);
    } catch (cause) {
      const error = cause as ServerError;
      const { errors, isExplained } = placeProblems(error, Object.keys(form.values));
      const explained = explain?.(error) ?? {};
      form.setErrors({ ...errors, ...explained });
      if (!isExplained && Object.keys(explained).length === 0) setRefusal(error);
    }
  };
  return (
    <form
      onSubmit={form.onSubmit((values, event) =>
        send(values, (event?.nativeEvent as SubmitEvent | undefined)?.submitter ?? null),
      )}
      onChange={() => setIsDone(false)}
    >
      <Stack gap="md" maw={width}>
        {props.children}
        {refusal && <Refusal error={refusal} />}
        {done !== undefined && isDone && (
          <div role="status" style={{ color: 'var(--tacho-good)' }}>
            {done}
          </div>
        )}
        <Group gap="xs">
          {button !== null && (
            <Button type="submit" loading={props.loading ?? form.submitting} disabled={disabled}>
              {button}
            </Button>
          )}
          {actions}
        </Group>
      </Stack>
    </form>
  );
}
