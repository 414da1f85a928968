import { PasswordInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { api } from '@/api/client';
import { EntryForm } from '@/components/EntryForm';
import { Section } from '@/components/Page';
import { placeProblems } from '@/lib/entries';
import { passwordFault, PASSWORD_RULE } from '@/lib/password-rule';

const HINT =
  'If you joined with single sign-on, you have no password. An operator can create a link that sets one.';

/** Changes the password. Accounts that were created by single sign-on have none. */
export function PasswordSection({ email }: { email: string }) {
  const identities = api.useQuery('get', '/api/v1/account/identities').data?.items ?? [];
  return (
    <Section title="Password" {...(identities.length > 0 && { hint: HINT })}>
      <ChangePasswordForm email={email} />
    </Section>
  );
}

/** Changes the password, which signs out all other browsers. */
function ChangePasswordForm({ email }: { email: string }) {
  const change = api.useMutation('put', '/api/v1/account/password');
  const form = useForm({
    initialValues: { current: '', new: '' },
    validate: { new: passwordFault },
  });
  return (
    <EntryForm
      form={form}
      button="Change password"
      done="The password is changed. All other browsers are signed out."
      // The rule for passwords names its field `password`.
      explain={(error) => {
        const { password } = placeProblems(error, ['password']).errors;
        return password === undefined ? {} : { new: password };
      }}
      onSend={async (values) => {
        await change.mutateAsync({ body: values });
        form.reset();
      }}
    >
      {/* Password managers store the new password for this account. */}
      <input type="hidden" name="username" autoComplete="username" value={email} readOnly />
      <PasswordInput
        label="Current password"
        autoComplete="current-password"
        required
        {...form.getInputProps('current')}
      />
      <PasswordInput
        label="New password"
        description={`${PASSWORD_RULE} Changing it signs out all other browsers.`}
        autoComplete="new-password"
        required
        {...form.getInputProps('new')}
      />
    </EntryForm>
  );
}
