import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { explainField } from '@/api/client';
import { useResetRequest } from '@/api/links';
import { Refusal } from '@/components/Refusal';
import classes from './SignIn.module.css';

interface ResetFormProps {
  /** The address that the person entered to sign in. */
  email: string;
  onBack: () => void;
}

/** Requests a link that sets a new password. */
export function ResetForm({ email: entered, onBack }: ResetFormProps) {
  const request = useResetRequest();
  const [email, setEmail] = useState(entered);
  const back = (
    <Button variant="default" onClick={onBack}>
      Back
    </Button>
  );
  if (request.isSuccess) {
    return (
      <div className={classes.form} role="status">
        <p className={classes.facts}>
          If there is an account with the address {request.variables}, a link is on its way to it.
          It sets a new password, and works once within 24 hours.
        </p>
        <div className={classes.actions}>{back}</div>
      </div>
    );
  }
  const fault = explainField(request.error, 'email');
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        request.mutate(email.trim());
      }}
    >
      <TextInput
        label="E-mail"
        type="email"
        autoComplete="username"
        autoCapitalize="none"
        required
        data-autofocus
        value={email}
        error={fault}
        onChange={(event) => {
          setEmail(event.currentTarget.value);
        }}
      />
      {request.error && fault === null && <Refusal error={request.error} />}
      <div className={classes.actions}>
        <Button type="submit" loading={request.isPending}>
          Send link
        </Button>
        {back}
      </div>
      <p className={classes.text}>The link sets a new password for your account.</p>
    </form>
  );
}
