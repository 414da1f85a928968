import { useQuery } from '@tanstack/react-query';
import { accountQueries } from '@/api/account';
import { Section } from '@/components/Page';
import { ChangePasswordForm } from './ChangePasswordForm';

const HINT =
  'If you joined with single sign-on, you have no password. An operator can create a link that sets one.';

/** Changes the password. Accounts that were created by single sign-on have none. */
export function PasswordSection({ email }: { email: string }) {
  const { data: identities = [] } = useQuery(accountQueries.identities());
  return (
    <Section title="Password" {...(identities.length > 0 && { hint: HINT })}>
      <ChangePasswordForm email={email} />
    </Section>
  );
}
