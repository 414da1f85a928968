import { randomSeed } from 'k6';
import lines from 'k6/x/lines';

import { CAR_COUNT, expectedCars, isCar } from './cars.js';
import { conformance, expect, get, random } from './lib/conformance.js';
import { expectContent, expectEach, expectGeneralContract } from './lib/contract.js';
import { drawRequest } from './lib/kinds.js';
import { freshInteger } from './lib/nonces.js';
import { parameters, seed, target } from './lib/profiles.js';
import { BUNCHED_FROM_MS, GAP_MS, cars as ordinary, isBunched } from './requests.js';

export { options } from './lib/conformance.js';

const JSON_TYPE = 'application/json';
const STREAM_TYPES = ['application/stream+json', 'application/octet-stream'];
const TIMEOUT_MS = 15000;
// Timers may round a wait down to the millisecond before.
const EARLY_MS = 2;
const EARLY_MS_A_CAR = 1;
const ATTEMPTS = 3;
// How many of the nine cars after the first must come visibly later than their predecessor.
const APART_COUNT = 7;
// A stream that is much slower applied the whole delay to each car.
const LATE_FACTOR = 5;
const LOAD_STREAMS = 6;
const MAX_BUNCHED = 1;

// A request for cars that no client has requested yet, and the delay of their stream.
function someStream(accept, delayMs) {
  const first = freshInteger();
  return { accept, delayMs, first, path: `/cars?first=${first}&delay_ms=${delayMs}` };
}

// A request of the load.
function loadStream() {
  const { path, integer, headers } = drawRequest(ordinary);
  return { accept: headers.Accept, delayMs: parameters.delay_ms, first: integer, path };
}

function someDelayMs() {
  return 10 * random(40, 60);
}

function parseCars(texts) {
  try {
    return texts.map((text) => JSON.parse(text));
  } catch (error) {
    return [];
  }
}

function isAllCars(cars, first) {
  return (
    Array.isArray(cars) &&
    cars.length === CAR_COUNT &&
    expectedCars(first).every(({ id }, index) => isCar(cars[index], id))
  );
}

function expectCars(what, answers) {
  expectEach(`${what} answers the ten cars asked for, in order`, {
    expected: `cars ${answers.map(({ first }) => `${first} to ${first + CAR_COUNT - 1}`).join('; ')}`,
    of: answers,
    isRight: ({ cars, first }) => isAllCars(cars, first),
    show: ({ text }) => JSON.stringify(text.slice(0, 300)),
  });
}

function expectArray(what, path, first, accept) {
  const response = get(path, accept ? { headers: { Accept: accept } } : {});
  expectContent(what, [response], JSON_TYPE);
  const text = response.body || '';
  expectCars(what, [{ first, text, cars: parseCars([text])[0] }]);
  return response;
}

function readTogether(streams) {
  const requests = streams.map(({ path, accept }) => ({
    url: target + path,
    headers: { Accept: accept },
  }));
  return lines.readTogether(requests, TIMEOUT_MS).map((answer, index) => ({
    ...streams[index],
    status: answer.status,
    error: answer.error,
    headers: { 'Content-Type': answer.contentType },
    lines: answer.lines || [],
    rest: answer.rest,
    endMs: answer.endMs,
    cars: parseCars((answer.lines || []).map(({ text }) => text)),
    text: `${(answer.lines || []).map(({ text }) => `${text}\n`).join('')}${answer.rest}`,
  }));
}

function expectStreams(what, answers, type) {
  expectContent(what, answers, type);
  expectCars(what, answers);
  expectEach(`${what} ends each car with a line end`, {
    expected: `${CAR_COUNT} lines and nothing after them`,
    of: answers,
    isRight: (answer) => answer.lines.length === CAR_COUNT && answer.rest === '',
    show: (answer) => `${answer.lines.length} lines and ${answer.rest.length} characters`,
  });
}

// How early the earliest car came compared with its due time; negative if all were late.
function earliestMs({ lines: came, delayMs }) {
  const gapMs = delayMs / CAR_COUNT;
  const early = came.map(({ atMs }, index) => {
    const count = index + 1;
    return count * gapMs - atMs - EARLY_MS - count * EARLY_MS_A_CAR;
  });
  return Math.max(...early);
}

function countApart({ lines: came, delayMs }) {
  const leastMs = delayMs / CAR_COUNT / 2;
  return came.filter(({ atMs }, index) => index > 0 && atMs - came[index - 1].atMs >= leastMs)
    .length;
}

function showTimes({ lines: came, delayMs }) {
  const times = came.map(({ atMs }) => atMs.toFixed(0)).join(', ');
  return `after ${times || 'none'} ms (of ${delayMs} ms)`;
}

function expectDelayLived(what, answers) {
  expectEach(`${what} waits before each car`, {
    expected: 'car k not before k tenths of the delay',
    of: answers,
    isRight: (answer) => answer.lines.length > 0 && earliestMs(answer) <= 0,
    show: showTimes,
  });
}

// Returns the first correct attempt, or the last. A service whose code is still being compiled gets
// another attempt. A service that buffers gains nothing.
function attempt(send, isRight) {
  for (let count = 1; ; count += 1) {
    const got = send();
    if (isRight(got) || count === ATTEMPTS) {
      return got;
    }
  }
}

function expectFlushed(type) {
  const isFlushed = (answer) => countApart(answer) >= APART_COUNT;
  const isInTime = (answer) => answer.endMs < answer.delayMs * LATE_FACTOR;
  const answer = attempt(
    () => readTogether([someStream(type, someDelayMs())])[0],
    (got) => isFlushed(got) && isInTime(got),
  );
  const what = `a slow stream as ${type}`;
  expectStreams(what, [answer], type);
  expectDelayLived(what, [answer]);
  expect(`${what} sends each car as soon as it is there`, {
    expected: `${APART_COUNT} of ${CAR_COUNT - 1} cars at least half a tenth of the delay after the one before`,
    got: `${countApart(answer)}: ${showTimes(answer)}`,
    passed: isFlushed(answer),
  });
  expect(`${what} takes delay_ms as a whole`, {
    expected: `less than ${answer.delayMs * LATE_FACTOR} ms`,
    got: `${answer.endMs.toFixed(0)} ms`,
    passed: isInTime(answer),
  });
}

function expectOwnStreams() {
  const count = random(4, 6);
  const sumMs = (answers) => answers.reduce((sum, { delayMs }) => sum + delayMs, 0);
  const lastMs = (answers) => Math.max(...answers.map(({ endMs }) => endMs));
  const [type] = STREAM_TYPES;
  const answers = attempt(
    () => readTogether(Array.from({ length: count }, () => someStream(type, someDelayMs()))),
    (got) => lastMs(got) < sumMs(got) / 2,
  );
  const what = 'each of some slow streams at the same time';
  expectStreams(what, answers, type);
  expectDelayLived(what, answers);
  expect('streams at the same time do not wait for each other', {
    expected: `all ${count} at their end in less than ${sumMs(answers) / 2} ms`,
    got: `${lastMs(answers).toFixed(0)} ms`,
    passed: lastMs(answers) < sumMs(answers) / 2,
  });
}

// Sends requests of the load, and checks them like those of the load.
function expectLoadsStreams() {
  const countBunched = (got) =>
    got.filter(({ lines: came }) => isBunched(came.map(({ atMs }) => atMs), GAP_MS)).length;
  const answers = attempt(
    () => readTogether(Array.from({ length: LOAD_STREAMS }, loadStream)),
    (got) => countBunched(got) <= MAX_BUNCHED,
  );
  const what = 'each of some streams of the load at the same time';
  expectStreams(what, answers, STREAM_TYPES[0]);
  if (parameters.delay_ms === 0) {
    return;
  }
  expectDelayLived(what, answers);
  if (parameters.delay_ms >= BUNCHED_FROM_MS) {
    expect('streams of the load do not arrive in bunches', {
      expected: `at most ${MAX_BUNCHED} of ${LOAD_STREAMS} bunched`,
      got: `${countBunched(answers)} bunched: ${answers.map(showTimes).join('; ')}`,
      passed: countBunched(answers) <= MAX_BUNCHED,
    });
  }
}

function expectSlowArray() {
  const slow = someStream(JSON_TYPE, someDelayMs());
  const { timings } = expectArray(`a slow array as ${JSON_TYPE}`, slow.path, slow.first, JSON_TYPE);
  const leastMs = slow.delayMs - EARLY_MS - CAR_COUNT * EARLY_MS_A_CAR;
  expect('a slow array waits for its cars', {
    expected: `at least ${leastMs} ms`,
    got: `${timings.duration.toFixed(1)} ms`,
    passed: timings.duration >= leastMs,
  });
}

function verifyBefore() {
  randomSeed(seed);
  expectGeneralContract('/cars');
  expectArray('GET /cars without Accept', '/cars', 0, null);
  const array = someStream(JSON_TYPE, 0);
  expectArray(`GET /cars as ${JSON_TYPE}`, array.path, array.first, JSON_TYPE);
  for (const type of STREAM_TYPES) {
    expectStreams(`GET /cars as ${type}`, readTogether([someStream(type, 0)]), type);
  }
  expectSlowArray();
  STREAM_TYPES.forEach(expectFlushed);
  expectOwnStreams();
  expectLoadsStreams();
}

function verifyAfter() {
  randomSeed(seed);
  expectGeneralContract('/cars');
  const array = someStream(JSON_TYPE, 0);
  expectArray(`GET /cars as ${JSON_TYPE}`, array.path, array.first, JSON_TYPE);
  expectFlushed(STREAM_TYPES[0]);
  expectLoadsStreams();
}

export default conformance(verifyBefore, verifyAfter);
