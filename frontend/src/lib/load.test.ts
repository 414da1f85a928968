import { expect, it } from 'vitest';
import { describeLoad, kindOf } from './load';

const plain = (text: string) => text.replaceAll('\u202f', ' ');

it.each([
  [{ rate_rps: 1000, duration_seconds: 10 }, '1 000 req/s for 10 s'],
  [{ users: 50, pause_ms: 100, duration_seconds: 9 }, '50 users, pausing 100 ms, for 9 s'],
  [
    { connections: 400, duration_seconds: 180, delay_ms: 1000 },
    '400 connections without pause for 180 s, upstream 1 000 ms',
  ],
  [
    { first_rps: 100, step_rps: 50, steps: 5, step_seconds: 3 },
    '100 to 300 req/s in steps of 50, 3 s each',
  ],
  [
    { connections: 1, requests: 1000, duration_seconds: 60, text_characters: 10 },
    '1 000 requests over 1 connection, one after the other, text 10 characters',
  ],
  [
    { connections: 100, duration_seconds: 10, size_bytes: 50000, post_percent: 50 },
    '100 connections without pause for 10 s, list of 50 000 B, 50 % POST',
  ],
  [
    { connections: 100, duration_seconds: 10, size_bytes: 50, post_percent: 0 },
    '100 connections without pause for 10 s, list of 50 B',
  ],
])('%o is %s', (parameters, text) => {
  const known = parameters as unknown as Record<string, number>;
  expect(plain(describeLoad({ kind: kindOf(known), parameters: known }))).toBe(text);
});
