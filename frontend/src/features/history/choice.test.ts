import { expect, it } from 'vitest';
import { completeFromCatalogue, completeFromResult } from './choice';
import type { HistorySearch } from './query';

const CATALOGUE = [
  { slug: 'actix', scenarios: ['hello'] },
  { slug: 'spring', scenarios: ['cars', 'slow-upstream'] },
];
const NEWEST = {
  framework: { slug: 'spring', name: 'Spring MVC', colour: 1 },
  scenario: { slug: 'slow-upstream', name: 'Slow upstream' },
};

it('takes missing parts from the newest result', () => {
  expect(completeFromResult({}, NEWEST)).toEqual({
    framework: ['spring'],
    scenario: 'slow-upstream',
  });
});

it('keeps the parts that the URL names', () => {
  expect(completeFromResult({ framework: ['actix', 'spring'] }, NEWEST)).toEqual({
    framework: ['actix', 'spring'],
    scenario: 'slow-upstream',
  });
  expect(completeFromResult({ scenario: 'cars' }, NEWEST)).toEqual({
    framework: ['spring'],
    scenario: 'cars',
  });
});

it('takes frameworks and scenarios of the catalogue if there is no result', () => {
  const complete = (search: HistorySearch) => completeFromCatalogue(search, CATALOGUE, undefined);
  expect(complete({})).toEqual({ framework: ['actix'], scenario: 'hello' });
  expect(complete({ scenario: 'cars' })?.framework).toEqual(['spring']);
  expect(complete({ framework: ['spring'] })?.scenario).toBe('cars');
  expect(completeFromCatalogue({}, [], undefined)).toBeNull();
});

it('prefers the first scenario of the catalogue', () => {
  expect(completeFromCatalogue({}, CATALOGUE, 'slow-upstream')).toEqual({
    framework: ['spring'],
    scenario: 'slow-upstream',
  });
  expect(completeFromCatalogue({ framework: ['actix'] }, CATALOGUE, 'cars')?.scenario).toBe(
    'hello',
  );
});
