import { PasswordInput, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { api } from '@/api/client';
import type { LinkOut } from '@/api/schema';
import { useNewSession } from '@/api/session';
import { EntryForm } from '@/components/EntryForm';
import { passwordFault, PASSWORD_RULE } from '@/lib/password-rule';
import { isUnauthorized } from './failures';

interface JoinFormProps {
  /** The key in the link. */
  linkKey: string;
  link: LinkOut;
  onDone: () => void;
}

const BUTTONS = {
  first_operator: 'Create account',
  invitation: 'Join',
  password_reset: 'Set password',
} as const;

/** Creates an account, joins a workspace or sets a password with a one-time link. */
export function JoinForm({ linkKey, link, onDone }: JoinFormProps) {
  const use = api.useMutation('post', '/api/v1/links/use', useNewSession());
  const isNewAccount = !link.has_account && link.purpose !== 'password_reset';
  const isNewPassword = link.purpose === 'password_reset' || !link.has_account;
  const form = useForm({
    initialValues: { name: '', email: link.email ?? '', password: '' },
    validate: { password: (password) => (isNewPassword ? passwordFault(password) : null) },
  });
  return (
    <EntryForm
      form={form}
      button={BUTTONS[link.purpose]}
      explain={(error) => (isUnauthorized(error) ? { password: 'The password is wrong.' } : {})}
      onSend={({ name, email, password }) =>
        use
          .mutateAsync({
            body: {
              key: linkKey,
              password,
              ...(isNewAccount && { name: name.trim() }),
              ...(link.email === null && { email: email.trim() }),
            },
          })
          .then(onDone)
      }
    >
      {isNewAccount && (
        <TextInput
          label="Name"
          description="As other members see it."
          autoComplete="name"
          maxLength={200}
          required
          {...form.getInputProps('name')}
        />
      )}
      <TextInput
        label="E-mail"
        type="email"
        autoComplete="username"
        autoCapitalize="none"
        required
        readOnly={link.email !== null}
        {...form.getInputProps('email')}
      />
      <PasswordInput
        label={link.purpose === 'password_reset' ? 'New password' : 'Password'}
        description={describePassword(link)}
        autoComplete={isNewPassword ? 'new-password' : 'current-password'}
        required
        {...form.getInputProps('password')}
      />
    </EntryForm>
  );
}

function describePassword(link: LinkOut): string {
  if (link.purpose === 'password_reset') return `${PASSWORD_RULE} This signs out all browsers.`;
  if (link.has_account) return 'The password of your account with this e-mail address.';
  if (link.purpose === 'invitation' && link.email === null) {
    return `${PASSWORD_RULE} If you already have an account, enter its e-mail and password.`;
  }
  return PASSWORD_RULE;
}
