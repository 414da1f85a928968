import { Select } from '@mantine/core';
import { type Member, type Role, ROLES, useChangeRole } from '@/api/members';
import classes from './Members.module.css';

const DATA = ROLES.map(({ role, name }) => ({ value: role, label: name }));

/** Changes the role of a member in place. A refused change shows its reason and the old role. */
export function RoleSelect({ member }: { member: Member }) {
  const change = useChangeRole(member.user_id);
  const shown: Role = change.isPending ? change.variables : member.role;
  return (
    <Select
      className={classes.role}
      classNames={{ wrapper: classes.input ?? '' }}
      size="xs"
      aria-label={`Role of ${member.name}`}
      data={DATA}
      value={shown}
      allowDeselect={false}
      disabled={change.isPending}
      error={change.error?.message}
      onChange={(role) => {
        if (role !== null && role !== member.role) change.mutate(role);
      }}
    />
  );
}
