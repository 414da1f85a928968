import { Button, Select, TextInput } from '@mantine/core';
import { explainField } from '@/api/client';
import { type NewInvitation, type Role, ROLES, useInvite } from '@/api/members';
import { Refusal } from '@/components/Refusal';
import { WholeNumberInput } from '@/components/WholeNumberInput';
import { useDraft } from '@/lib/drafts';
import classes from './Members.module.css';

const [FEWEST_DAYS, USUAL_DAYS, MOST_DAYS] = [1, 7, 90];

interface InviteFormProps {
  role: Role;
  /** Receives the invitation with its link. */
  onCreated: (invitation: NewInvitation) => void;
}

/** Invites a person to the workspace, by a link. */
export function InviteForm({ role: firstRole, onCreated }: InviteFormProps) {
  const invite = useInvite();
  const [email, setEmail] = useDraft('invitation.email', '');
  const [role, setRole] = useDraft('invitation.role', firstRole);
  const [days, setDays] = useDraft('invitation.days', USUAL_DAYS);
  const fault = explainField(invite.error, 'email');
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        const address = email.trim();
        invite.mutate(
          { role, days, ...(address !== '' && { email: address }) },
          { onSuccess: onCreated },
        );
      }}
    >
      <TextInput
        label="E-mail"
        type="email"
        description="Optional. Without it, anyone with the link can use it once."
        autoComplete="off"
        value={email}
        error={fault}
        onChange={(event) => {
          setEmail(event.currentTarget.value);
        }}
      />
      <div className={classes.row}>
        <Select
          label="Role"
          description={ROLES.find((entry) => entry.role === role)?.meaning}
          data={ROLES.map(({ role: value, name }) => ({ value, label: name }))}
          value={role}
          allowDeselect={false}
          onChange={(value) => {
            if (value !== null) setRole(value);
          }}
        />
        <WholeNumberInput
          label="Expires after"
          unit="days"
          value={days}
          min={FEWEST_DAYS}
          max={MOST_DAYS}
          onNumber={setDays}
        />
      </div>
      {invite.error && fault === null && <Refusal error={invite.error} />}
      <div>
        <Button
          type="submit"
          loading={invite.isPending}
          disabled={days < FEWEST_DAYS || days > MOST_DAYS}
        >
          Create invitation
        </Button>
      </div>
    </form>
  );
}
