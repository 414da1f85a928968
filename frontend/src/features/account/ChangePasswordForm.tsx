import { Button, PasswordInput } from '@mantine/core';
import { useState } from 'react';
import { useChangePassword } from '@/api/account';
import { explainField } from '@/api/client';
import { Refusal } from '@/components/Refusal';
import { passwordFault, PASSWORD_RULE } from '@/lib/password-rule';
import classes from './Account.module.css';

/** Changes the password, which signs out all other browsers. */
export function ChangePasswordForm({ email }: { email: string }) {
  const change = useChangePassword();
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const [isChecked, setIsChecked] = useState(false);
  const fault = passwordFault(next);
  const currentFault = explainField(change.error, 'current');
  const nextFault = explainField(change.error, 'new') ?? explainField(change.error, 'password');
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        setIsChecked(true);
        if (fault !== null) return;
        change.mutate(
          { current, new: next },
          {
            onSuccess: () => {
              setCurrent('');
              setNext('');
              setIsChecked(false);
            },
          },
        );
      }}
    >
      {/* Password managers store the new password for this account. */}
      <input type="hidden" name="username" autoComplete="username" value={email} readOnly />
      <PasswordInput
        label="Current password"
        autoComplete="current-password"
        required
        value={current}
        error={currentFault}
        onChange={(event) => {
          setCurrent(event.currentTarget.value);
        }}
      />
      <PasswordInput
        label="New password"
        description={`${PASSWORD_RULE} Changing it signs out all other browsers.`}
        autoComplete="new-password"
        required
        value={next}
        error={(isChecked ? fault : null) ?? nextFault}
        onChange={(event) => {
          setNext(event.currentTarget.value);
        }}
      />
      {change.error && currentFault === null && nextFault === null && (
        <Refusal error={change.error} />
      )}
      {change.isSuccess && (
        <p className={classes.done} role="status">
          The password is changed. All other browsers are signed out.
        </p>
      )}
      <div>
        <Button type="submit" variant="default" loading={change.isPending}>
          Change password
        </Button>
      </div>
    </form>
  );
}
