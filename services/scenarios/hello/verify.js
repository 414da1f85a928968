import { randomSeed } from 'k6';

import { conformance, get, getTogether, random } from './lib/conformance.js';
import { expectEach, expectGeneralContract, expectText } from './lib/contract.js';
import { seed } from './lib/profiles.js';

export { options } from './lib/conformance.js';

const PATH = '/hello';
const BODY = 'Hello World!';

function somePath() {
  return `${PATH}?tacho=${random(1, 1e9)}`;
}

function expectHello(what, responses) {
  expectText(what, responses);
  expectEach(`${what} answers ${BODY}`, {
    expected: JSON.stringify(BODY),
    of: responses,
    isRight: (response) => response.body === BODY,
    show: (response) => JSON.stringify(response.body),
  });
}

export default conformance(() => {
  randomSeed(seed);
  expectGeneralContract(PATH);
  expectHello(`GET ${PATH}`, [get(PATH)]);
  expectHello(`GET ${PATH} with a query string`, [get(somePath())]);
  const paths = Array.from({ length: random(16, 24) }, somePath);
  expectHello(`each of ${paths.length} GET ${PATH} sent together`, getTogether(paths));
});
