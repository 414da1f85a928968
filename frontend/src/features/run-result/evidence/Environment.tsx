import { Box, Stack } from '@mantine/core';
import type { LoadHostNetworkOut, RunOut } from '@/api/schema';
import { Facts, shownFact } from '@/components/Facts';
import { groupFacts } from '@/lib/facts';
import { formatValue } from '@/lib/format';
import { listOwn } from './environments';

const NAMES: Record<string, string> = {
  cpus: 'CPU sets',
  host: 'Host',
  builds: 'Builds',
  harness: 'Harness',
};

function networkFact(network: LoadHostNetworkOut): [string, string] {
  const trips = (['p50_ms', 'p90_ms', 'p99_ms'] as const).map(
    (key) => `${key.slice(0, -3)} ${formatValue(network[key], 'ms')}`,
  );
  const send = formatValue(network.send_mbps, 'Mbit/s');
  const receive = formatValue(network.receive_mbps, 'Mbit/s');
  return [
    `from ${network.name}`,
    `round trips: ${trips.join(', ')}; throughput: ${send} to the service, ${receive} back`,
  ];
}

/** Lists the environment that all trials share, then what is specific to each framework. */
export function Environment({ run }: { run: RunOut }) {
  // The page shows these sentences once, above the results.
  const environment = {
    ...run.environment,
    cpu_sharing: undefined,
    isolation_notes: undefined,
    load_hosts: undefined,
  };
  return (
    <Stack gap={20}>
      {groupFacts({ seed_of_the_order: String(run.seed), ...environment }).map(
        ({ name, facts }) => (
          <div key={name}>
            {name !== '' && (
              <Box component="h3" m="0 0 2px" fz="sm" fw={600}>
                {NAMES[name] ?? name}
              </Box>
            )}
            <Facts facts={facts.map(shownFact)} />
          </div>
        ),
      )}
      {run.networks !== undefined && run.networks.length > 0 && (
        <div>
          <Box component="h3" m="0 0 2px" fz="sm" fw={600}>
            Network
          </Box>
          <Facts facts={run.networks.map((network) => networkFact(network))} />
        </div>
      )}
      {listOwn(run.cells).map(({ name, facts }) => (
        <div key={name}>
          <Box component="h3" m="0 0 2px" fz="sm" fw={600}>
            {name}
          </Box>
          <Facts facts={facts.map(shownFact)} />
        </div>
      ))}
    </Stack>
  );
}
