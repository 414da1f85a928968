import { expect, it } from 'vitest';
import { completeChoice } from './choice';

const CATALOGUE = [
  { slug: 'actix', scenarios: ['hello'] },
  { slug: 'spring', scenarios: ['cars', 'slow-upstream'] },
];
const NEWEST = {
  framework: { slug: 'spring', name: 'Spring MVC', colour: 1 },
  scenario: { slug: 'slow-upstream', name: 'Slow upstream' },
};

it('takes missing parts from the newest result', () => {
  expect(completeChoice([], undefined, NEWEST, CATALOGUE, undefined)).toEqual({
    frameworks: ['spring'],
    scenario: 'slow-upstream',
  });
});

it('keeps the parts that the URL names', () => {
  expect(completeChoice(['actix', 'spring'], undefined, NEWEST, CATALOGUE, undefined)).toEqual({
    frameworks: ['actix', 'spring'],
    scenario: 'slow-upstream',
  });
  expect(completeChoice([], 'cars', NEWEST, CATALOGUE, undefined)).toEqual({
    frameworks: ['spring'],
    scenario: 'cars',
  });
});

it('takes frameworks and scenarios of the catalogue if there is no result', () => {
  expect(completeChoice([], undefined, null, CATALOGUE, undefined)).toEqual({
    frameworks: ['actix'],
    scenario: 'hello',
  });
  expect(completeChoice([], 'cars', null, CATALOGUE, undefined)?.frameworks).toEqual(['spring']);
  expect(completeChoice(['spring'], undefined, null, CATALOGUE, undefined)?.scenario).toBe('cars');
  expect(completeChoice([], undefined, null, [], undefined)).toBeNull();
});

it('prefers the first scenario if there is no result', () => {
  expect(completeChoice([], undefined, null, CATALOGUE, 'slow-upstream')).toEqual({
    frameworks: ['spring'],
    scenario: 'slow-upstream',
  });
  expect(completeChoice(['actix'], undefined, null, CATALOGUE, 'cars')?.scenario).toBe('hello');
});
