import { api } from '@/api/client';
import { Section } from '@/components/Page';
import { ChangePasswordForm } from './ChangePasswordForm';

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
