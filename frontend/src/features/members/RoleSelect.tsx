import { Select } from '@mantine/core';
import { api } from '@/api/client';
import { ROLES } from '@/api/members';
import type { MemberOut, Role } from '@/api/schema';
import classes from './Members.module.css';

const DATA = ROLES.map(({ role, name }) => ({ value: role, label: name }));

/** Changes the role of a member in place. A refused change shows its reason and the old role. */
export function RoleSelect({ member }: { member: MemberOut }) {
  const change = api.useMutation('patch', '/api/v1/members/{user_id}');
  const shown: Role = change.isPending ? change.variables.body.role : member.role;
  return (
    <Select
      maw={320}
      classNames={{ wrapper: classes.input ?? '' }}
      size="xs"
      aria-label={`Role of ${member.name}`}
      data={DATA}
      value={shown}
      allowDeselect={false}
      disabled={change.isPending}
      error={change.error?.message}
      onChange={(role) => {
        if (role !== null && role !== member.role)
          change.mutate({ params: { path: { user_id: member.user_id } }, body: { role } });
      }}
    />
  );
}
