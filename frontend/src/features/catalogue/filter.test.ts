import { expect, test } from 'vitest';
import type { FrameworkOut } from '@/api/schema';
import { filterFrameworks, otherVersions, runtimeOf, valuesOf } from './filter';

function framework(slug: string, changes: Partial<FrameworkOut>, runtime: string): FrameworkOut {
  return {
    slug,
    version_of: null,
    name: slug,
    language: 'Java',
    description: '',
    concurrency: 'blocking',
    mode: 'ootb',
    licence: 'MIT',
    versions: { language: 'Java 25', runtime, framework: `${slug} 1` },
    website: '',
    source: null,
    scenarios: ['hello'],
    language_settings: [],
    topologies: {},
    colour: 0,
    digest: '',
    unavailable: {},
    digests: {},
    ...changes,
  };
}

const ALL = [
  framework('spring-mvc', {}, 'OpenJDK 25'),
  framework('vertx', { concurrency: 'event_loop', scenarios: ['hello', 'articles'] }, 'OpenJDK 25'),
  framework('nest', { language: 'TypeScript', concurrency: 'event_loop' }, 'Node.js 24'),
];
const slugs = (found: readonly FrameworkOut[]) => found.map((item) => item.slug);

test('filters by each parameter and by all of them together', () => {
  expect(slugs(filterFrameworks(ALL, {}))).toEqual(['spring-mvc', 'vertx', 'nest']);
  expect(slugs(filterFrameworks(ALL, { language: 'Java' }))).toEqual(['spring-mvc', 'vertx']);
  expect(slugs(filterFrameworks(ALL, { runtime: 'Node.js' }))).toEqual(['nest']);
  expect(slugs(filterFrameworks(ALL, { concurrency: 'event_loop' }))).toEqual(['vertx', 'nest']);
  expect(slugs(filterFrameworks(ALL, { scenario: 'articles' }))).toEqual(['vertx']);
  expect(slugs(filterFrameworks(ALL, { search: ' SPRING ' }))).toEqual(['spring-mvc']);
  expect(filterFrameworks(ALL, { language: 'Java', runtime: 'Node.js' })).toEqual([]);
});

test('names a runtime without its version', () =>
  expect(valuesOf(ALL, runtimeOf)).toEqual(['Node.js', 'OpenJDK']));

test('lists the other versions of a framework and of each version', () => {
  const older = framework('spring-mvc-boot-3', { version_of: 'spring-mvc' }, 'OpenJDK 25');
  const oldest = framework('spring-mvc-boot-2', { version_of: 'spring-mvc' }, 'OpenJDK 25');
  const all = [...ALL, older, oldest];
  const others = all.map((item) => slugs(otherVersions(item, all)));
  expect(others).toEqual([
    ['spring-mvc-boot-3', 'spring-mvc-boot-2'],
    [],
    [],
    ['spring-mvc', 'spring-mvc-boot-2'],
    ['spring-mvc', 'spring-mvc-boot-3'],
  ]);
});
