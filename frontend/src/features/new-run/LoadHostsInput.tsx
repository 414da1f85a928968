import { MultiSelect } from '@mantine/core';
import type { HostOut } from '@/api/schema';
import type { Plan } from '@/lib/run-plan';

interface LoadHostsInputProps {
  plan: Plan;
  hosts: readonly HostOut[];
  error: string | undefined;
  onChange: (plan: Plan) => void;
}

/** Choice of the hosts that send the load. Absent if no host can take load from another host. */
export function LoadHostsInput({ plan, hosts, error, onChange }: LoadHostsInputProps) {
  const usable = hosts.filter((host) => host.is_usable);
  const isPossible = usable.length > 1 && usable.some((host) => host.accepts_remote_load);
  if (!isPossible && plan.loadHosts.length === 0) return null;
  const others = usable.map(({ name }) => name).filter((name) => name !== plan.host);
  return (
    <MultiSelect
      label="Load hosts"
      description="Optional. Hosts that send the load over the network, in equal parts."
      placeholder={plan.loadHosts.length === 0 ? 'The host itself' : undefined}
      data={[...new Set([...others, ...plan.loadHosts])]}
      value={plan.loadHosts}
      error={error}
      onChange={(loadHosts) => {
        onChange({ ...plan, loadHosts });
      }}
    />
  );
}
