import { randomSeed } from 'k6';

import { conformance, expect, get, getTogether, random } from './lib/conformance.js';
import { expectEach, expectGeneralContract, expectText } from './lib/contract.js';
import { parameters, seed } from './lib/profiles.js';

export { options } from './lib/conformance.js';

const PATH = '/calibration';
const EARLY_MS = 0.2; // half of the answers come some µs early: see timer.go

function expectWaited(what, responses) {
  expectText(what, responses);
  expectEach(`${what} takes the latency it tells`, {
    expected: 'at least as long as the body says, in ns',
    of: responses,
    isRight: ({ body, timings }) => /^[0-9]+$/.test(body) && timings.duration >= body / 1e6 - EARLY_MS,
    show: ({ body, timings }) => `${timings.duration.toFixed(3)} ms, told ${body} ns`,
  });
}

function readTruth() {
  return get('/truth').json();
}

export default conformance(() => {
  randomSeed(seed);
  expectGeneralContract(PATH);
  const before = readTruth();
  expectWaited(`GET ${PATH}`, [get(PATH)]);
  const paths = Array.from({ length: random(16, 24) }, () => `${PATH}?tacho=${random(1, 1e9)}`);
  expectWaited(`each of ${paths.length} GET ${PATH} sent together`, getTogether(paths));
  const after = readTruth();
  const count = paths.length + 1;
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
});
