import { randomSeed } from 'k6';

import {
  conformance,
  count,
  expect,
  getUpstream,
  postUpstream,
  random,
  sendTogether,
} from './lib/conformance.js';
import { expectAnswers, expectEach, expectGeneralContract, expectText } from './lib/contract.js';
import { drawRequest, drawRequests } from './lib/kinds.js';
import { parameters, seed } from './lib/profiles.js';
import { call } from './requests.js';

export { options } from './lib/conformance.js';

const delayMs = parameters.delay_ms;
const earliestMs = delayMs - 2; // clocks of two processes may differ in their last digit
// Below these delays a cold but honest service may fail to show that its requests overlap.
const OVERLAP_VISIBLE_MS = 100;
const OVERLAP_FELT_MS = 500;
const ATTEMPTS = 3;
const FAILURES = {
  status: 'an upstream that answers 503',
  close: 'an upstream that closes the connection without an answer',
};

function readStats() {
  return getUpstream('/stats').json();
}

function countCalls() {
  count('calls of the upstream', readStats().calls);
}

// Sends requests and counts the calls that reach the upstream meanwhile.
function observe(requests) {
  postUpstream('/reset');
  const before = readStats();
  const startedMs = Date.now();
  const responses = sendTogether(requests);
  const elapsedMs = Date.now() - startedMs;
  const after = readStats();
  return {
    requests,
    responses,
    elapsedMs,
    calls: after.calls - before.calls,
    maxInFlight: after.max_in_flight,
  };
}

function expectForwarded(what, { requests, responses, calls }) {
  expectText(what, responses);
  expect(`${what} calls the upstream once`, {
    expected: `${responses.length} calls`,
    got: `${calls} calls`,
  });
  expectAnswers(`${what} forwards the upstream's answer to its nonce`, requests, responses);
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
function observeTogether(length, wantedInFlight) {
  for (let attempt = 1; ; attempt += 1) {
    const observed = observe(drawRequests(call, length));
    const isOverlapping = observed.maxInFlight >= wantedInFlight;
    const isAnswered = observed.responses.every((response) => response.status === 200);
    if (isOverlapping || !isAnswered || attempt === ATTEMPTS) {
      return observed;
    }
  }
}

function expectOverlap(length) {
  const wantedInFlight = delayMs >= OVERLAP_VISIBLE_MS ? Math.ceil(length / 2) : 1;
  const observed = observeTogether(length, wantedInFlight);
  expectForwarded(`each of ${length} GET / sent together`, observed);
  if (delayMs >= OVERLAP_VISIBLE_MS) {
    expect('requests sent together wait for the upstream together', {
      expected: `at least ${wantedInFlight} calls in flight at once`,
      got: `${observed.maxInFlight} calls in flight at once`,
      passed: observed.maxInFlight >= wantedInFlight,
    });
  }
  if (delayMs >= OVERLAP_FELT_MS) {
    const limitMs = (length * delayMs) / 2;
    expect('requests sent together are answered together', {
      expected: `${length} answers in less than ${limitMs} ms`,
      got: `${observed.elapsedMs} ms`,
      passed: observed.elapsedMs < limitMs,
    });
  }
}

function expectOthersLeaveUpstreamAlone() {
  const before = readStats();
  expectGeneralContract(drawRequest(call).path);
  expect('other requests leave the upstream alone', {
    expected: '0 calls',
    got: `${readStats().calls - before.calls} calls`,
  });
}

// The service must have called the upstream, so that it does not fail for another reason.
function expectFailureForwarded(how, whatFails) {
  const request = drawRequest(call);
  postUpstream(`/fail?nonce=${request.nonce}&how=${how}`);
  const { responses, calls } = observe([request]);
  const [{ status }] = responses;
  expect(`GET / fails with ${whatFails}`, {
    expected: 'a 5xx status, at least 1 call',
    got: `status ${status}, ${calls} calls`,
    passed: status >= 500 && status < 600 && calls >= 1,
  });
}

function expectNothingLeftOver() {
  const { in_flight: inFlight } = readStats();
  expect('no call to the upstream is left over', {
    expected: '0 calls in flight',
    got: `${inFlight} calls in flight`,
  });
}

function verifyBefore() {
  randomSeed(seed);
  expectOthersLeaveUpstreamAlone();
  Object.entries(FAILURES).forEach(([how, what]) => expectFailureForwarded(how, what));
  const single = drawRequest(call);
  expectForwarded('GET /', observe([single]));
  expectForwarded('GET / with a nonce again', observe([drawRequest(call, single)]));
  expectOverlap(random(16, 24));
  expectNothingLeftOver();
  countCalls();
}

function verifyAfter() {
  countCalls();
  expectOthersLeaveUpstreamAlone();
  expectForwarded('some GET / sent together', observe(drawRequests(call, random(6, 9))));
  Object.entries(FAILURES).forEach(([how, what]) => expectFailureForwarded(how, what));
}

export default conformance(verifyBefore, verifyAfter);
