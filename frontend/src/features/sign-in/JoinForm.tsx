import { Button, PasswordInput, TextInput } from '@mantine/core';
import { type SyntheticEvent, useState } from 'react';
import { explainField, ProblemError } from '@/api/client';
import { type OneTimeLink, useOneTimeLink } from '@/api/links';
import { Refusal } from '@/components/Refusal';
import { passwordFault, PASSWORD_RULE } from '@/lib/password-rule';
import classes from './SignIn.module.css';

interface JoinFormProps {
  /** The key in the link. */
  linkKey: string;
  link: OneTimeLink;
  onDone: () => void;
}

const BUTTONS = {
  first_operator: 'Create account',
  invitation: 'Join',
  password_reset: 'Set password',
} as const;

const UNAUTHORIZED = 401;

/** Creates an account, joins a workspace or sets a password with a one-time link. */
export function JoinForm({ linkKey, link, onDone }: JoinFormProps) {
  const use = useOneTimeLink();
  const [name, setName] = useState('');
  const [email, setEmail] = useState(link.email ?? '');
  const [password, setPassword] = useState('');
  const [isChecked, setIsChecked] = useState(false);
  const isNewAccount = !link.has_account && link.purpose !== 'password_reset';
  const isNewPassword = link.purpose === 'password_reset' || !link.has_account;
  const fault = isNewPassword ? passwordFault(password) : null;
  const faults = ['name', 'email', 'password'].map((field) => explainField(use.error, field));
  const [nameFault, emailFault, passwordFaultOfServer] = faults;
  const isWrong = use.error instanceof ProblemError && use.error.status === UNAUTHORIZED;

  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    setIsChecked(true);
    if (fault !== null) return;
    use.mutate(
      {
        key: linkKey,
        password,
        ...(isNewAccount && { name: name.trim() }),
        ...(link.email === null && { email: email.trim() }),
      },
      { onSuccess: onDone },
    );
  };
  return (
    <form className={classes.form} onSubmit={submit}>
      {isNewAccount && (
        <TextInput
          label="Name"
          description="As other members see it."
          autoComplete="name"
          maxLength={200}
          required
          value={name}
          error={nameFault}
          onChange={(event) => {
            setName(event.currentTarget.value);
          }}
        />
      )}
      <TextInput
        label="E-mail"
        type="email"
        autoComplete="username"
        autoCapitalize="none"
        required
        readOnly={link.email !== null}
        value={email}
        error={emailFault}
        onChange={(event) => {
          setEmail(event.currentTarget.value);
        }}
      />
      <PasswordInput
        label={link.purpose === 'password_reset' ? 'New password' : 'Password'}
        description={describePassword(link)}
        autoComplete={isNewPassword ? 'new-password' : 'current-password'}
        required
        value={password}
        error={
          (isChecked ? fault : null) ??
          passwordFaultOfServer ??
          (isWrong && 'The password is wrong.')
        }
        onChange={(event) => {
          setPassword(event.currentTarget.value);
        }}
      />
      {use.error && faults.every((it) => it === null) && !isWrong && <Refusal error={use.error} />}
      <div className={classes.actions}>
        <Button type="submit" loading={use.isPending}>
          {BUTTONS[link.purpose]}
        </Button>
      </div>
    </form>
  );
}

function describePassword(link: OneTimeLink): string {
  if (link.purpose === 'password_reset') return `${PASSWORD_RULE} This signs out all browsers.`;
  if (link.has_account) return 'The password of your account with this e-mail address.';
  if (link.purpose === 'invitation' && link.email === null) {
    return `${PASSWORD_RULE} If you already have an account, enter its e-mail and password.`;
  }
  return PASSWORD_RULE;
}
