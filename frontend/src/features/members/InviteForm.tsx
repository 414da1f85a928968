import { Select, TextInput } from '@mantine/core';
import { api } from '@/api/client';
import { ROLES } from '@/api/members';
import type { NewInvitationOut, Role } from '@/api/schema';
import { EntryForm } from '@/components/EntryForm';
import { WholeNumberInput } from '@/components/WholeNumberInput';
import { useDraftForm } from '@/lib/entries';
import classes from './Members.module.css';

const [FEWEST_DAYS, USUAL_DAYS, MOST_DAYS] = [1, 7, 90];

interface InviteFormProps {
  role: Role;
  /** Receives the invitation with its link. */
  onCreated: (invitation: NewInvitationOut) => void;
}

/** Invites a person to the workspace, by a link. */
export function InviteForm({ role: firstRole, onCreated }: InviteFormProps) {
  const invite = api.useMutation('post', '/api/v1/invitations');
  const form = useDraftForm('invitation', {
    initialValues: { email: '', role: firstRole, days: USUAL_DAYS },
  });
  const { role, days } = form.values;
  return (
    <EntryForm
      form={form}
      button="Create invitation"
      disabled={days < FEWEST_DAYS || days > MOST_DAYS}
      onSend={({ email }) => {
        const address = email.trim();
        return invite
          .mutateAsync({ body: { role, days, ...(address !== '' && { email: address }) } })
          .then(onCreated);
      }}
    >
      <TextInput
        label="E-mail"
        type="email"
        description="Optional. Without it, anyone with the link can use it once."
        autoComplete="off"
        {...form.getInputProps('email')}
      />
      <div className={classes.row}>
        <Select
          label="Role"
          description={ROLES.find((entry) => entry.role === role)?.meaning}
          data={ROLES.map(({ role: value, name }) => ({ value, label: name }))}
          allowDeselect={false}
          {...form.getInputProps('role')}
        />
        <WholeNumberInput
          label="Expires after"
          unit="days"
          value={days}
          error={form.errors.days}
          min={FEWEST_DAYS}
          max={MOST_DAYS}
          onNumber={(next) => form.setFieldValue('days', next)}
        />
      </div>
    </EntryForm>
  );
}
