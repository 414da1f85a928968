import { describe, expect, it } from 'vitest';
import { editDistance, listNear } from './near';

it.each([
  ['node', 'node', 0],
  ['noed', 'node', 1],
  ['quarkus', 'quarks', 1],
  ['', 'abc', 3],
  ['vertx', 'vert.x', 1],
])('counts the edits from %s to %s', (a, b, edits) => expect(editDistance(a, b)).toBe(edits));

describe('listNear', () => {
  const known = ['spring-mvc', 'spring-webflux', 'quarkus-rest', 'node', 'go-nethttp'];
  const near = (asked: string) => listNear(asked, known, (name) => [name]);

  it('finds a misspelt word, the nearest first', () => {
    expect(near('sprign-mvc')).toEqual(['spring-mvc']);
    expect(near('NODE')).toEqual(['node']);
  });

  it('finds a part of a name', () => {
    expect(near('spring')).toEqual(['spring-mvc', 'spring-webflux']);
    expect(near('quarkus')).toEqual(['quarkus-rest']);
  });

  it('finds a truncated link', () =>
    expect(listNear('k3v9q2', ['k3v9q2mx4d', 'aaaaaaaaaa'], (slug) => [slug])).toEqual([
      'k3v9q2mx4d',
    ]));

  it('returns nothing if no name is similar', () => expect(near('zzzz')).toEqual([]));
});
