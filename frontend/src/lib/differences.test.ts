import { expect, it } from 'vitest';
import { describeDifference, nameSubject } from './differences';

it('names a difference with its unit', () => {
  expect(
    describeDifference({ subject: 'parameters.rate_rps', baseline: '300', other: '100' }),
  ).toBe('rate 100 instead of 300 req/s');
  expect(describeDifference({ subject: 'runtime', baseline: 'docker', other: 'process' })).toBe(
    'runtime process instead of docker',
  );
  expect(nameSubject('host.cpu_model')).toBe('host cpu model');
});
