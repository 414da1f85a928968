import { expect, it } from 'vitest';
import { groupFacts, toFacts } from './facts';

it('names values without their unit, in readable units', () => {
  const facts = toFacts({
    memory_bytes: 2 ** 34,
    memory_limit_mb: 1024,
    k6_sha256: 'a'.repeat(64),
    image_ids: { node: `sha256:${'b'.repeat(64)}` },
    base_images: { node: [`node:24-slim@sha256:${'c'.repeat(64)}`] },
    cpus: [0, 1],
    cpu_model: 'Xeon',
    cpu_frequency_max_khz: '2400000 3600000',
    cpu_frequency_min_khz: 'none',
    governor: null,
    mitigations: { mds: 'Not affected', l1tf: 'Vulnerable' },
  }).map(({ name, value }) => [name, value.replaceAll(/[\u202f\u00a0]/g, ' ')]);
  expect(facts).toEqual([
    ['memory', '16 GiB'],
    ['memory limit', '1 GiB'],
    ['k6 sha256', 'a'.repeat(16)],
    ['image ids', `node: ${'b'.repeat(16)}`],
    ['base images', `node: node:24-slim@${'c'.repeat(16)}`],
    ['cpus', '0, 1'],
    ['CPU model', 'Xeon'],
    ['CPU frequency max', '2.40 GHz, 3.60 GHz'],
    ['CPU frequency min', 'none'],
    ['mitigations', 'mds: Not affected; l1tf: Vulnerable'],
  ]);
});

it('keeps records apart', () => {
  const groups = groupFacts({ image: 'x', host: { kernel: '6' } });
  expect(groups.map((group) => [group.name, group.facts.length])).toEqual([
    ['', 1],
    ['host', 1],
  ]);
});
