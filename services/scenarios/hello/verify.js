import { randomSeed } from 'k6';

import { conformance, random, sendTogether } from './lib/conformance.js';
import { expectAnswers, expectEach, expectGeneralContract, expectText } from './lib/contract.js';
import { drawRequest, drawRequests } from './lib/kinds.js';
import { seed } from './lib/profiles.js';
import { hello, unknownPath } from './requests.js';

export { options } from './lib/conformance.js';

const WHAT = 'GET /hello';

function expectHello(what, requests) {
  const responses = sendTogether(requests);
  expectText(what, responses);
  expectAnswers(`${what} answers Hello World!`, requests, responses);
}

// Sends ordinary requests and unknown paths at the same time.
function expectMixed(count) {
  const unknown = Array.from({ length: 2 }, () => drawRequest(unknownPath));
  const requests = drawRequests(hello, count);
  const responses = sendTogether([...unknown, ...requests]);
  expectEach('an unknown path among other requests answers 404', {
    expected: 'status 404',
    of: responses.slice(0, unknown.length),
    isRight: ({ status }) => status === unknownPath.expect.status,
    show: ({ status }) => `status ${status}`,
  });
  const what = `each of ${count} ${WHAT} sent together`;
  expectText(what, responses.slice(unknown.length));
  expectAnswers(`${what} answers Hello World!`, requests, responses.slice(unknown.length));
}

function verify(count) {
  randomSeed(seed);
  expectGeneralContract(drawRequest(hello).path);
  expectHello(WHAT, [drawRequest(hello)]);
  expectMixed(count);
}

export default conformance(
  () => verify(random(16, 24)),
  () => verify(random(4, 8)),
);
