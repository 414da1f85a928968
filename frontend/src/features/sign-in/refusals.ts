import type { SignInRefusal } from '@/api/schema';

const SENTENCES: Record<SignInRefusal, string> = {
  not_started: 'This sign-in has expired, or it began in another browser. Start again.',
  provider_unreachable:
    'The provider does not answer. Try again in a moment. If it happens again, ask an operator of this installation to check the log.',
  provider_refused: 'The provider did not sign you in. Try again.',
  answer_invalid:
    'Tacho could not verify the answer of the provider. Try again. If it happens again, ask an operator of this installation to check the log.',
  no_account: 'You have no account here. Ask an owner of a workspace for an invitation.',
  email_unverified:
    'The provider has not verified your e-mail address. Verify it there, then try again.',
  disabled: 'Your account is disabled. Ask an operator of this installation to enable it.',
  link_unusable:
    'This invitation has expired, was used or was revoked. Ask the person who sent it for another one.',
  other_person_invited:
    'This invitation is for another e-mail address. Use the account with that address, or request another invitation.',
  member_already: 'You are a member of this workspace already. Sign in without the invitation.',
};

const OTHER = 'Single sign-on failed. Try again.';

/** Return the sentence for a reason for which single sign-on failed. */
export function explainRefusal(code: string): string {
  return Object.hasOwn(SENTENCES, code) ? SENTENCES[code as SignInRefusal] : OTHER;
}
