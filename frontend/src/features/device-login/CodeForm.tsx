import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { ProblemError } from '@/api/client';
import { type DeviceLogin, useFindDeviceLogin } from '@/api/device-logins';
import { Refusal } from '@/components/Refusal';
import { formatUserCode, isCompleteUserCode } from '@/lib/user-code';
import classes from './DeviceLogin.module.css';

interface CodeFormProps {
  /** The code in the link. */
  initial: string;
  onFound: (code: string, login: DeviceLogin) => void;
}

const NOT_FOUND = 404;

/** Reads the code that the terminal shows, and finds its sign-in. */
export function CodeForm({ initial, onFound }: CodeFormProps) {
  const find = useFindDeviceLogin();
  const [code, setCode] = useState(formatUserCode(initial));
  const isUnknown = find.error instanceof ProblemError && find.error.status === NOT_FOUND;
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        find.mutate(code, {
          onSuccess: (login) => {
            onFound(code, login);
          },
        });
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
        value={code}
        error={isUnknown && find.error?.message}
        onChange={(event) => {
          find.reset();
          setCode(formatUserCode(event.currentTarget.value));
        }}
      />
      {find.error && !isUnknown && <Refusal error={find.error} />}
      <div>
        <Button type="submit" disabled={!isCompleteUserCode(code)} loading={find.isPending}>
          Continue
        </Button>
      </div>
    </form>
  );
}
