import { randomSeed } from 'k6';

import { conformance, expect, get, random, sendTogether } from './lib/conformance.js';
import { expectEach, expectGeneralContract, expectText } from './lib/contract.js';
import { drawRequest, drawRequests } from './lib/kinds.js';
import { parameters, seed } from './lib/profiles.js';
import { calibration } from './requests.js';

export { options } from './lib/conformance.js';

const WHAT = 'GET /calibration';
const EARLY_MS = 0.2; // half of the answers come some µs early: see timer.go

const pattern = new RegExp(calibration.expect.pattern);

function expectWaited(what, requests) {
  const responses = sendTogether(requests);
  expectText(what, responses);
  expectEach(`${what} takes the latency in its body`, {
    expected: 'at least as long as the body gives, in ns',
    of: responses,
    isRight: ({ body, timings }) =>
      pattern.test(body) && timings.duration >= body / 1e6 - EARLY_MS,
    show: ({ body, timings }) => `${timings.duration.toFixed(3)} ms, body ${body} ns`,
  });
}

function readTruth() {
  return get('/truth').json();
}

function verify(together) {
  randomSeed(seed);
  expectGeneralContract(drawRequest(calibration).path);
  const before = readTruth();
  expectWaited(WHAT, [drawRequest(calibration)]);
  expectWaited(
    `each of ${together} ${WHAT} sent together`,
    drawRequests(calibration, together),
  );
  const after = readTruth();
  const count = together + 1;
  expect('/truth counts each request', {
    expected: `${count} requests`,
    got: `${after.requests - before.requests} requests`,
  });
  const wantedSeconds = (count * parameters.burn_us) / 1e6;
  const burntSeconds = after.burnt_seconds - before.burnt_seconds;
  expect('each request burns its CPU time', {
    expected: `${wantedSeconds} to ${wantedSeconds * 1.1 + count * 1e-4} s`,
    got: `${burntSeconds} s`,
    passed: burntSeconds >= wantedSeconds && burntSeconds <= wantedSeconds * 1.1 + count * 1e-4,
  });
  expect('the process used at least the CPU time burnt', {
    expected: `at least ${burntSeconds} s`,
    got: `${after.cpu_seconds - before.cpu_seconds} s`,
    passed: after.cpu_seconds - before.cpu_seconds >= burntSeconds * 0.99,
  });
}

export default conformance(
  () => verify(random(16, 24)),
  () => verify(random(4, 8)),
);
