import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { api } from '@/api/client';
import type { DeviceLoginOut } from '@/api/schema';
import { EntryForm } from '@/components/EntryForm';
import classes from './DeviceLogin.module.css';

interface CodeFormProps {
  /** The code in the link. */
  initial: string;
  onFound: (code: string, login: DeviceLoginOut) => void;
}

const NOT_FOUND = 404;

/** Reads the code that the terminal shows, and finds its sign-in. */
export function CodeForm({ initial, onFound }: CodeFormProps) {
  const find = api.useMutation('post', '/api/v1/device-logins/read');
  const form = useForm({ initialValues: { user_code: formatUserCode(initial) } });
  const { user_code: code } = form.values;
  return (
    <EntryForm
      form={form}
      button="Continue"
      disabled={!isCompleteUserCode(code)}
      explain={({ status, message }) => (status === NOT_FOUND ? { user_code: message } : {})}
      onSend={async () => {
        onFound(code, await find.mutateAsync({ body: { user_code: code } }));
      }}
    >
      <TextInput
        className={classes.code}
        label="Code"
        description="The 8 letters that the terminal shows."
        placeholder="XXXX-XXXX"
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
        required
        {...form.getInputProps('user_code')}
        onChange={(event) =>
          form.setFieldValue('user_code', formatUserCode(event.currentTarget.value))
        }
      />
    </EntryForm>
  );
}

/** The code that `tacho login` shows, such as WDJB-MJHT. */

const HALF = 4;
const LENGTH = 2 * HALF;

/** Return what a person has typed as upper-case letters, with a hyphen in the middle. */
function formatUserCode(typed: string): string {
  const letters = typed
    .toUpperCase()
    .replaceAll(/[^A-Z]/g, '')
    .slice(0, LENGTH);
  return letters.length > HALF ? `${letters.slice(0, HALF)}-${letters.slice(HALF)}` : letters;
}

/** Return whether a formatted code has all letters. */
function isCompleteUserCode(code: string): boolean {
  return code.length === LENGTH + 1;
}
