import { MultiSelect, Select } from '@mantine/core';
import type { HostOut } from '@/api/schema';
import { EACH_HOST, type Plan } from '@/lib/run-plan';
import type { PlacedProblems } from './problems';

interface HostChoiceProps {
  plan: Plan;
  hosts: readonly HostOut[];
  problems: PlacedProblems['at'];
  onChange: (plan: Plan) => void;
}

/** The choice of several hosts by name. No host has this name. */
const SEVERAL = ',';

/** Chooses where to measure: a host, several, or each suitable one. */
export function HostChoice({ plan, hosts, problems, onChange }: HostChoiceProps) {
  const listed = hosts.filter((host) => host.status !== 'revoked');
  const options = listed.map((host) => ({
    value: host.name,
    label: `${host.name} (${describeState(host)})`,
    disabled: !host.is_usable,
  }));
  const usable = listed.filter((host) => host.is_usable).map((host) => host.name);
  const isGroup = plan.hosts.length > 0;
  const isEach = plan.hosts.includes(EACH_HOST);
  const groups =
    usable.length > 1 || isGroup
      ? [
          { value: EACH_HOST, label: 'Each suitable host' },
          { value: SEVERAL, label: 'Several hosts' },
        ]
      : [];
  const choose = (value: string) => {
    if (value === EACH_HOST) onChange({ ...plan, host: '', hosts: [EACH_HOST] });
    else if (value === SEVERAL) onChange({ ...plan, host: '', hosts: usable });
    else onChange({ ...plan, host: value, hosts: [] });
  };
  return (
    <>
      <Select
        label="Host"
        description={isGroup ? 'One run per host, shown side by side.' : 'Where to measure.'}
        data={[{ value: '', label: 'Shortest queue' }, ...groups, ...options]}
        value={isEach ? EACH_HOST : isGroup ? SEVERAL : plan.host}
        error={isGroup && !isEach ? problems.host : (problems.hosts ?? problems.host)}
        allowDeselect={false}
        onChange={(value) => choose(value ?? '')}
      />
      {isGroup && !isEach && (
        <MultiSelect
          label="Hosts"
          description="Each of them measures all results."
          data={options}
          value={[...plan.hosts]}
          error={problems.hosts}
          onChange={(chosen) => onChange({ ...plan, host: '', hosts: chosen })}
        />
      )}
    </>
  );
}

/** Describes the state of a host, or why the workspace may not use it. */
function describeState({ state, status, is_usable: isUsable }: HostOut): string {
  if (status === 'leaving') return 'leaving';
  return isUsable ? state : 'reserved for other workspaces';
}
