import type { ReactNode } from 'react';
import { useAccess } from '@/api/session';
import { DenialState } from '@/components/DenialNote';
import { TokenSection } from '@/features/tokens/TokenSection';
import { useDocumentTitle } from '@/lib/hooks';

/** Access tokens of the workspace. */
export function TokensPage(): ReactNode {
  useDocumentTitle('Access tokens');
  const own = useAccess('own');
  const account = useAccess('account');
  const denial = own.denial ?? account.denial;
  if (denial) return <DenialState denial={denial} action="manage the tokens of the workspace" />;
  return (
    <TokenSection
      owner="workspace"
      title="Access tokens of the workspace"
      hint="For scripts that belong to nobody. They keep working when their creator leaves. Personal tokens are in your account."
    />
  );
}
