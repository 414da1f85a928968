import { api } from '@/api/client';
import type { HostOut } from '@/api/schema';
import { Facts, shownFact } from '@/components/Facts';
import { Section } from '@/components/Page';
import { toFacts } from '@/lib/facts';
import { HostCalibration } from './Calibration';
import classes from './Calibration.module.css';

/** Shows calibration, runtime, CPU sets and fingerprint of a host. */
export function HostDetail({ host }: { host: HostOut }) {
  const frameworks = api.useQuery('get', '/api/v1/frameworks');
  const missing = Object.entries(host.unavailable).map(([slug, reason]) => {
    const framework = frameworks.data?.items.find((row) => row.slug === slug);
    return [framework?.name ?? slug, reason] as const;
  });
  // The CPU sets have their own section.
  const rest = Object.entries(host.fingerprint).filter(([name]) => !SHOWN_ABOVE.has(name));
  const fingerprint = toFacts(Object.fromEntries(rest)).map(shownFact);
  return (
    <>
      <HostCalibration host={host} />
      <RuntimeSection host={host} />
      {host.cpus && <Cpus cpus={host.cpus} />}
      <Section
        title="Fingerprint"
        hint="Results of this host are compared only if they were measured with the same fingerprint."
      >
        <Facts
          facts={[...fingerprint, ['digest', <code>{host.fingerprint_digest.slice(0, 16)}</code>]]}
        />
      </Section>
      {host.faults.length > 0 && (
        <Section
          title="Not valid"
          hint="The catalogue leaves these entries of the host out. Check the files of the host. If they are correct, somebody else may use its credentials: revoke the host, and let it join again."
        >
          {host.faults.map((fault) => (
            <p key={fault} className={classes.sharing}>
              {fault}
            </p>
          ))}
        </Section>
      )}
      {missing.length > 0 && (
        <Section title="Cannot run here">
          <Facts facts={missing} />
        </Section>
      )}
    </>
  );
}

const BASES = {
  official: 'official images from a registry',
  debian: 'built from Debian packages',
};

const ISOLATION = {
  container: 'containers',
  'container+userns': 'containers with user namespaces',
  'container+gvisor': 'containers with gVisor',
  namespaces: 'namespaces, as a user without rights',
  'namespaces+filter': 'namespaces and a filter of system calls, as a user without rights',
  none: 'not isolated',
};

/** Return the warnings about what services and builds can reach and use on a host. */
function listWarnings(host: HostOut): string[] {
  const warnings = [];
  if (host.isolation === 'none')
    warnings.push(
      'Not isolated: services can read the files of Tacho’s user and use the network of this host. Install bubblewrap, or use Docker.',
    );
  if (host.uses_host_network_for_builds)
    warnings.push(
      'Builds use the network of this host and can reach programs that listen on loopback addresses. Set TACHO_BUILD_NETWORK=bridge; services that run as processes also need slirp4netns and iproute2.',
    );
  if (host.build_network === 'bridge')
    warnings.push(
      'Builds can reach this host at its addresses, and private networks. Run the worker as root on the machine of the container engine, with nftables, or set TACHO_BUILD_PROXY.',
    );
  if (host.memory_fault)
    warnings.push(
      `The memory of services is not limited, because ${host.memory_fault}. Run the worker as root, or use Docker.`,
    );
  return warnings;
}

const BUILDS_REACH = {
  proxy: 'only the filtering proxy',
  filtered: 'the Internet, but neither this host nor private networks',
  bridge: 'other machines, and this host at its addresses',
  host: 'all that this host reaches',
};

function RuntimeSection({ host }: { host: HostOut }) {
  const facts: [string, string][] = [
    ['services run', host.runtime === 'docker' ? 'in Docker' : 'as processes'],
  ];
  if (host.isolation) facts.push(['isolation', ISOLATION[host.isolation]]);
  if (host.build_network) facts.push(['builds reach', BUILDS_REACH[host.build_network]]);
  if (host.bases) facts.push(['base images', BASES[host.bases]]);
  if (host.runtime_reason) facts.push(['reason', host.runtime_reason]);
  return (
    <Section
      title="Runtime"
      hint="Chosen when the worker starts. Set TACHO_RUNTIME and TACHO_BASES to override it."
    >
      <Facts facts={facts} />
      {listWarnings(host).map((sentence) => (
        <p key={sentence} className={classes.sharing}>
          {sentence}
        </p>
      ))}
    </Section>
  );
}

const ROLES = ['service', 'load', 'backing'] as const;
// Parts of the fingerprint that the section about CPU sets shows.
const SHOWN_ABOVE = new Set(['cpus', 'cpu_layout', 'cpu_notes', 'service_cores']);

function Cpus({ cpus }: { cpus: NonNullable<HostOut['cpus']> }) {
  return (
    <Section
      title="CPU sets"
      hint="Whole cores of each role in a trial. Set TACHO_SERVICE_CPUS, TACHO_LOAD_CPUS and TACHO_BACKING_CPUS to change them."
    >
      <Facts
        facts={ROLES.map((role) => {
          const layout = cpus.layout?.[role];
          const numbers = `CPU ${cpus[role].join(', ')}`;
          return [role, layout === undefined ? numbers : `${numbers} (${layout})`] as const;
        })}
      />
      {cpus.sharing.map((sentence) => (
        <p key={sentence} className={classes.sharing}>
          {sentence}
        </p>
      ))}
    </Section>
  );
}
