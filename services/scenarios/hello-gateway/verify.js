import { randomSeed } from 'k6';

import { conformance, count, random, sendTogether } from './lib/conformance.js';
import { expectAnswers, expectCounted, expectGeneralContract, expectText } from './lib/contract.js';
import { drawRequest, drawRequests } from './lib/kinds.js';
import { seed } from './lib/profiles.js';
import { greeting } from './requests.js';

export { options } from './lib/conformance.js';

const WHAT = 'GET /gateway';

// Returns the stamps.
function expectGreetings(what, requests) {
  const responses = sendTogether(requests);
  expectText(what, responses);
  return expectAnswers(`${what} forwards what the hello service says`, requests, responses);
}

// Returns whether the count could be read.
function countCalls(what, ownCalls) {
  const [stamp] = expectGreetings(what, [drawRequest(greeting)]);
  if (stamp !== null) {
    count('calls of the hello service', stamp - ownCalls);
  }
  return stamp !== null;
}

function verifyOnce(length) {
  expectGeneralContract(drawRequest(greeting).path);
  const single = drawRequest(greeting);
  const stamps = [
    ...expectGreetings(WHAT, [single]),
    ...expectGreetings(`${WHAT} with a nonce again`, [drawRequest(greeting, single)]),
    ...expectGreetings(
      `each of ${length} ${WHAT} sent together`,
      drawRequests(greeting, length),
    ),
  ];
  expectCounted('each request calls the hello service exactly once', stamps);
}

function verifyBefore() {
  randomSeed(seed);
  verifyOnce(random(16, 24));
  countCalls(`the last ${WHAT} before the load`, 0);
}

function verifyAfter() {
  randomSeed(seed);
  // The request that reads the count is a call that the load did not cause.
  if (!countCalls(`the first ${WHAT} after the load`, 1)) {
    return;
  }
  verifyOnce(random(4, 8));
}

export default conformance(verifyBefore, verifyAfter);
