import { expect, it } from 'vitest';
import { describeDifference, nameSubject } from './differences';

it('names a difference with its unit', () => {
  expect(
    describeDifference({ subject: 'parameters.rate_rps', baseline: '300', other: '100' }),
  ).toBe('rate 100\u202freq/s instead of 300\u202freq/s');
  const size = { subject: 'parameters.size_bytes', baseline: '500000', other: '50' };
  expect(describeDifference(size)).toBe('size 50\u202fB instead of 500\u202f000\u202fB');
  expect(describeDifference({ subject: 'runtime', baseline: 'docker', other: 'process' })).toBe(
    'runtime process instead of docker',
  );
  expect(nameSubject('host.cpu_model')).toBe('host CPU model');
});
