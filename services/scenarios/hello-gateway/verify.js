import { randomSeed } from 'k6';

import { conformance, get, getTogether, random } from './lib/conformance.js';
import { expectEach, expectGeneralContract, expectText } from './lib/contract.js';
import { seed } from './lib/profiles.js';

export { options } from './lib/conformance.js';

const PATH = '/gateway';
// Only the hello service has it, so a gateway that responds by itself fails the check.
const GREETING = __ENV.TACHO_GREETING;

function someName() {
  return `name-${random(1, 1e9)}`;
}

function pathFor(name) {
  return `${PATH}?name=${name}`;
}

function expectGreetings(what, names, responses) {
  expectText(what, responses);
  expectEach(`${what} forwards what the hello service says`, {
    expected: `${GREETING} <name>!`,
    of: responses.map(({ body }, index) => ({ body, right: `${GREETING} ${names[index]}!` })),
    isRight: ({ body, right }) => body === right,
    show: ({ body }) => JSON.stringify(body),
  });
}

export default conformance(() => {
  randomSeed(seed);
  expectGeneralContract(PATH);
  const name = someName();
  expectGreetings(`GET ${PATH}`, [name], [get(pathFor(name))]);
  const names = Array.from({ length: random(16, 24) }, someName);
  const responses = getTogether(names.map(pathFor));
  expectGreetings(`each of ${names.length} GET ${PATH} sent together`, names, responses);
});
