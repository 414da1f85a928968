import { randomSeed } from 'k6';

import {
  conformance,
  expect,
  get,
  getTogether,
  getUpstream,
  postUpstream,
  random,
} from './lib/conformance.js';
import { expectEach, expectGeneralContract, expectText } from './lib/contract.js';
import { parameters, seed } from './lib/profiles.js';

export { options } from './lib/conformance.js';

const delayMs = parameters.delay_ms;
const earliestMs = delayMs - 2; // clocks of two processes may differ in their last digit
// Below these delays a cold but honest service may fail to show that its requests overlap.
const OVERLAP_VISIBLE_MS = 100;
const OVERLAP_FELT_MS = 500;
const ATTEMPTS = 3;

function readStats() {
  return getUpstream('/stats').json();
}

function somePath() {
  return `/?tacho=${random(1, 1e9)}`;
}

// Sends requests and counts the calls that reach the upstream meanwhile.
function observe(send) {
  const before = readStats();
  const startedMs = Date.now();
  const responses = send();
  const elapsedMs = Date.now() - startedMs;
  const after = readStats();
  const known = new Set(before.recent);
  return {
    responses,
    elapsedMs,
    calls: after.calls - before.calls,
    maxInFlight: after.max_in_flight,
    answers: new Set(after.recent.filter((answer) => !known.has(answer))),
  };
}

function expectForwarded(what, { responses, calls, answers }) {
  expectText(what, responses);
  expect(`${what} calls the upstream once`, {
    expected: `${responses.length} calls`,
    got: `${calls} calls`,
  });
  const unclaimed = new Set(answers);
  expectEach(`${what} forwards an answer of its own`, {
    expected: 'a number the upstream has just given, each once',
    of: responses,
    isRight: (response) => unclaimed.delete(response.body),
    show: (response) => JSON.stringify(response.body),
  });
  if (earliestMs > 0) {
    expectEach(`${what} waits for the upstream`, {
      expected: `at least ${earliestMs} ms`,
      of: responses,
      isRight: (response) => response.timings.duration >= earliestMs,
      show: (response) => `${response.timings.duration.toFixed(1)} ms`,
    });
  }
}

// Returns the first attempt in which the requests overlapped, or the last. A service that is still
// compiling itself gets another chance. A service that handles requests one at a time never
// overlaps.
function observeTogether(count, wantedInFlight) {
  const paths = Array.from({ length: count }, somePath);
  for (let attempt = 1; ; attempt += 1) {
    postUpstream('/reset');
    const observed = observe(() => getTogether(paths));
    const isOverlapping = observed.maxInFlight >= wantedInFlight;
    const isAnswered = observed.responses.every((response) => response.status === 200);
    if (isOverlapping || !isAnswered || attempt === ATTEMPTS) {
      return observed;
    }
  }
}

function expectOverlap(count) {
  const wantedInFlight = delayMs >= OVERLAP_VISIBLE_MS ? Math.ceil(count / 2) : 1;
  const observed = observeTogether(count, wantedInFlight);
  expectForwarded(`each of ${count} GET / sent together`, observed);
  if (delayMs >= OVERLAP_VISIBLE_MS) {
    expect('requests sent together wait for the upstream together', {
      expected: `at least ${wantedInFlight} calls in flight at once`,
      got: `${observed.maxInFlight} calls in flight at once`,
      passed: observed.maxInFlight >= wantedInFlight,
    });
  }
  if (delayMs >= OVERLAP_FELT_MS) {
    const limitMs = (count * delayMs) / 2;
    expect('requests sent together are answered together', {
      expected: `${count} answers in less than ${limitMs} ms`,
      got: `${observed.elapsedMs} ms`,
      passed: observed.elapsedMs < limitMs,
    });
  }
}

export default conformance(() => {
  randomSeed(seed);
  const { calls } = observe(() => {
    expectGeneralContract('/');
    return [];
  });
  expect('other requests leave the upstream alone', { expected: '0 calls', got: `${calls} calls` });
  expectForwarded('GET /', observe(() => [get(somePath())]));
  expectOverlap(random(16, 24));
  const { in_flight: inFlight } = readStats();
  expect('no call to the upstream is left over', {
    expected: '0 calls in flight',
    got: `${inFlight} calls in flight`,
  });
});
