import { Button, PasswordInput } from '@mantine/core';
import { useState } from 'react';
import classes from './Refusal.module.css';
import { ErrorState, type ShownError } from './States';

interface RefusalProps {
  error: ShownError & { status?: number };
  /** Called with a token to keep; the caller then asks again. */
  onToken: (token: string) => void;
}

/** Why a write was refused; where a token is missing, the place to give it. */
export function Refusal({ error, onToken }: RefusalProps) {
  const [token, setToken] = useState('');
  if (error.status !== 401) return <ErrorState error={error} />;
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        onToken(token.trim());
      }}
    >
      <PasswordInput
        label="Token"
        description={error.message}
        value={token}
        onChange={(event) => {
          setToken(event.currentTarget.value);
        }}
        autoComplete="current-password"
        required
      />
      <Button type="submit" variant="default">
        Use this token
      </Button>
    </form>
  );
}
