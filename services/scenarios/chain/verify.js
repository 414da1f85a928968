import { randomSeed } from 'k6';

import { conformance, count, expect, random, send, sendTogether } from './lib/conformance.js';
import { expectContent, expectEach, expectGeneralContract } from './lib/contract.js';
import { freshNonce } from './lib/nonces.js';
import { parameters, seed } from './lib/profiles.js';
import { MAX_CHARACTERS, TOO_LONG, WRONG_MESSAGES, asRequest, startText } from './requests.js';
import { MODULUS, PARTS, passOn, someNumber, someText } from './steps.js';

export { options } from './lib/conformance.js';

const PATH = '/chain';
const WHAT = `POST ${PATH}`;

function someMessage(length = random(20, 5000)) {
  return { number: someNumber(), text: startText(freshNonce(), someText(length)) };
}

function post(message) {
  const { method, path, body, headers } = asRequest(message);
  return send(method, path, body, { headers });
}

const isCount = (value) => Number.isInteger(value) && value > 0;

// The answer with what would be right for its stamps; stamps that are none are an empty list.
function readAnswer(response, message) {
  let answer = null;
  try {
    answer = response.json();
  } catch (error) {
    answer = { number: `no JSON: ${error}` };
  }
  const { number, text, stamps } = answer === null ? {} : answer;
  const isStamped =
    Array.isArray(stamps) && stamps.length === PARTS.length && stamps.every(isCount);
  return {
    number,
    text,
    stamps: isStamped ? stamps : [],
    right: isStamped ? passOn(message, stamps) : {},
  };
}

function shorten(text) {
  return `${JSON.stringify(String(text).slice(0, 20))}… of ${String(text).length} characters`;
}

function expectAnswers(what, messages, responses) {
  expectContent(what, responses, 'application/json');
  const answers = responses.map((response, index) => readAnswer(response, messages[index]));
  expectEach(`${what} has the stamps of six services`, {
    expected: 'six whole numbers from 1 on',
    of: answers,
    isRight: ({ stamps }) => stamps.length === PARTS.length,
    show: ({ stamps }) => (stamps.length > 0 ? stamps.join(' ') : 'no such list'),
  });
  expectEach(`${what} answers the number that the steps of all six services make`, {
    expected: 'the number after six steps, each with its service’s key and stamp and a character of the text',
    of: answers,
    isRight: ({ number, right }) => number === right.number,
    show: ({ number, right }) => `${number}, should be ${right.number}`,
  });
  expectEach(`${what} answers the text as the sixth service has cut it`, {
    expected: 'all of the text, cut in two, the second piece first',
    of: answers,
    isRight: ({ text, right }) => text === right.text,
    show: ({ text, right }) => `${shorten(text)}, should be ${shorten(right.text)}`,
  });
  return answers;
}

// The stamps of each part, in the order of the parts.
function byPart(answers) {
  return PARTS.map((part, index) => answers.map(({ stamps }) => stamps[index]));
}

function showParts(lists) {
  return lists.map((stamps, index) => `${PARTS[index]} ${stamps.join(' ')}`).join(', ');
}

function expectOneByOne(messages) {
  const answers = expectAnswers(
    `each of ${messages.length} ${WHAT} sent one after the other`,
    messages,
    messages.map(post),
  );
  const stamped = byPart(answers);
  expect('each service takes each message exactly once, the same message again included', {
    expected: 'of each service, stamps that follow each other',
    got: showParts(stamped),
    passed: stamped.every((stamps) =>
      stamps.every((stamp, index) => isCount(stamp) && stamp === stamps[0] + index),
    ),
  });
}

function expectTogether(messages) {
  const what = `each of ${messages.length} ${WHAT} sent together`;
  const answers = expectAnswers(what, messages, sendTogether(messages.map(asRequest)));
  const stamped = byPart(answers).map((stamps) => stamps.sort((one, other) => one - other));
  expect('each service takes each message sent together exactly once', {
    expected: 'of each service, stamps that follow each other, in any order',
    got: showParts(stamped),
    passed: stamped.every((stamps) =>
      stamps.every((stamp, index) => isCount(stamp) && stamp === stamps[0] + index),
    ),
  });
}

function expectRefused() {
  const text = someText(20);
  const before = readAnswer(post(someMessage()), someMessage()).stamps;
  const { method, path, headers } = asRequest(someMessage());
  [...WRONG_MESSAGES, TOO_LONG].forEach(({ what, makeBody }) => {
    const { status } = send(method, path, makeBody(text), { headers });
    expect(`${what} is refused`, {
      expected: 'a 4xx status',
      got: `status ${status}`,
      passed: status >= 400 && status < 500,
    });
  });
  const after = readAnswer(post(someMessage()), someMessage()).stamps;
  expect('what is refused gets no stamp', {
    expected: before.map((stamp) => stamp + 1).join(' '),
    got: after.join(' '),
    passed: before.length > 0 && after.every((stamp, index) => stamp === before[index] + 1),
  });
}

// Returns whether the counts could be read.
function countMessages(what, ownMessages) {
  const message = someMessage();
  const [{ stamps }] = expectAnswers(what, [message], [post(message)]);
  stamps.forEach((stamp, index) =>
    count(`messages of the ${PARTS[index]} service`, stamp - ownMessages),
  );
  return stamps.length > 0;
}

// Messages one after another, with the same message again, and then together.
function expectSomeMessages(together) {
  const again = someMessage();
  const others = Array.from({ length: random(3, 6) }, () => someMessage());
  expectOneByOne([again, again, ...others, again, again]);
  expectTogether([again, again, ...Array.from({ length: together - 2 }, () => someMessage())]);
}

function verifyBefore() {
  randomSeed(seed);
  expectGeneralContract(PATH);
  const unknown = { ...someMessage(), [`unknown-${random(1, 1e6)}`]: [null] };
  expectAnswers(`${WHAT} with a field that means nothing`, [unknown], [post(unknown)]);
  expectSomeMessages(random(16, 24));
  const sizes = [1, 2, parameters.text_characters, MAX_CHARACTERS];
  const sized = sizes.map((length) => someMessage(length));
  sized[0].number = 0;
  sized[1].number = MODULUS - 1;
  expectAnswers(`${WHAT} of the load’s size and at both ends`, sized, sized.map(post));
  expectRefused();
  countMessages(`the last ${WHAT} before the load`, 0);
}

function verifyAfter() {
  randomSeed(seed);
  // The message that reads the counts is not part of the load.
  if (!countMessages(`the first ${WHAT} after the load`, 1)) {
    return;
  }
  expectGeneralContract(PATH);
  expectSomeMessages(random(4, 8));
  expectRefused();
}

export default conformance(verifyBefore, verifyAfter);
