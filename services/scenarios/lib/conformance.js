// A small kit for verify.js: each expectation becomes one line of evidence, and the run
// ends with an exit code other than 0 when one failed, when the script broke, or when it
// expected nothing.
//
// Exports
//   options                     k6 options: one run, at most 60 s; re-export it
//   conformance(before, after = before)
//                               what verify.js exports as default. before() does the checks
//                               before the load, after() those on the warm service after it
//                               (TACHO_PHASE = after)
//   count(name, value)          the number of calls that a backing service or a peer counted.
//                               The value after the load minus the value before it must be the
//                               number of calls that the load caused. After the load, read it
//                               first, and end the script if it cannot be read: calls of later
//                               checks would count as calls of the load at the next try
//   expect(name, { expected, got, passed = expected === got })
//                               one line of evidence; returns whether it passed
//   get(path, { headers })      GET to the service; response with body as text
//   send(method, path, body, { headers })
//   getTogether(paths)          GETs sent at the same time, responses in the same order
//   sendTogether([{ method, path, body, headers }])   the same for any request
//   getUpstream(path), postUpstream(path)   the same to the mock upstream
//   random(low, high)           integer in [low, high], differs from run to run
//
// verify.js:
//   import { conformance, expect, get } from './lib/conformance.js';
//   export { options } from './lib/conformance.js';
//   export default conformance(() => {
//     const response = get('/');
//     expect('GET / answers 200', { expected: 200, got: response.status });
//   });
import exec from 'k6/execution';
import http from 'k6/http';
import tacho from 'k6/x/tacho';

import { target, upstream } from './profiles.js';

const TIMEOUT_MS = 15000;

export const options = {
  scenarios: {
    verify: { executor: 'per-vu-iterations', vus: 1, iterations: 1, maxDuration: '60s' },
  },
  batch: 200,
  batchPerHost: 200,
  maxRedirects: 0,
  userAgent: 'tacho',
};

let expectationCount = 0;
let failureCount = 0;
// Whether the last request, or one of the last requests sent together, got no answer, or 5xx.
let isUnanswered = false;

export function expect(name, { expected, got, passed = expected === got }) {
  const isPassed = passed === true;
  expectationCount += 1;
  failureCount += isPassed ? 0 : 1;
  tacho.emit({
    type: 'conformance',
    name,
    passed: isPassed,
    expected: String(expected),
    got: String(got),
    answered: isPassed || !isUnanswered,
  });
  return isPassed;
}

export function count(name, value) {
  tacho.emit({ type: 'count', name, value });
}

export function conformance(before, after = before) {
  const run = __ENV.TACHO_PHASE === 'after' ? after : before;
  return () => {
    try {
      run();
    } catch (error) {
      expect('verify.js runs to its end', { expected: 'no error', got: error });
    }
    if (expectationCount === 0) {
      expect('verify.js checks something', { expected: 'at least 1 check', got: 'none' });
    }
    if (failureCount > 0) {
      exec.test.fail(`${failureCount} of ${expectationCount} conformance checks failed`);
    }
  };
}

function params(given) {
  return { timeout: TIMEOUT_MS, responseType: 'text', ...given };
}

function note(responses) {
  isUnanswered = responses.some(({ status }) => status === 0 || status >= 500);
  return responses;
}

export function send(method, path, body, given = {}) {
  return note([http.request(method, target + path, body, params(given))])[0];
}

export function get(path, given = {}) {
  return send('GET', path, null, given);
}

export function sendTogether(requests) {
  return note(
    http.batch(
      requests.map(({ method, path, body, headers = {} }) => [
        method,
        target + path,
        body,
        params({ headers }),
      ]),
    ),
  );
}

export function getTogether(paths) {
  return sendTogether(paths.map((path) => ({ method: 'GET', path, body: null })));
}

export function getUpstream(path) {
  return http.get(upstream + path, params({}));
}

export function postUpstream(path) {
  return http.post(upstream + path, null, params({}));
}

export function random(low, high) {
  return low + Math.floor(Math.random() * (high - low + 1));
}
