// The requests of the scenario, for load.js and verify.js.
//
// Exports
//   EXPECTED_MS        about how long an answer takes
//   startText(nonce, text)
//                      the text with digits of the nonce instead of its beginning
//   post               { method, path, headers } of every request
//   asRequest(message) the same with the body of a message { number, text }
//   WRONG_MESSAGES     the kinds of messages that must be refused: [{ what, makeBody(text) }],
//                      about as long as a message with this text
//   TOO_LONG           another kind, whose text is one character longer than the longest
//   MAX_CHARACTERS     the length of the longest text
//   explainWrong(message, response)
//                      null if the response is right for its stamps, else { expected, got }
import { freshInteger } from './lib/nonces.js';
import { MODULUS, PARTS, passOn, someNumber, someText } from './steps.js';

export const EXPECTED_MS = 20;
export const MAX_CHARACTERS = 1000000;

const SHOWN_CHARACTERS = 40;

export const post = {
  method: 'POST',
  path: '/chain',
  headers: { 'Content-Type': 'application/json' },
};

export function startText(nonce, text) {
  const digits = nonce.slice(0, text.length);
  return digits + text.slice(digits.length);
}

export function asRequest(message) {
  return { ...post, body: JSON.stringify(message) };
}

const MOST_CUT_CHARACTERS = 30;

// Returns a message that is not valid JSON: cut off near its end, or without a colon or the comma.
function breakMessage(text) {
  const message = JSON.stringify({ number: someNumber(), text });
  const colon = message.lastIndexOf('":') + 1;
  const places = [message.indexOf(':'), colon, message.indexOf(',')];
  const sort = Math.floor(Math.random() * (places.length + 1));
  if (sort === places.length) {
    return message.slice(0, -1 - Math.floor(Math.random() * MOST_CUT_CHARACTERS));
  }
  return message.slice(0, places[sort]) + message.slice(places[sort] + 1);
}

const numbered = (number) => (text) => JSON.stringify({ number: number(), text });

// The text is in a field that services ignore, so that the message is as long as others.
const withNote = (fields) => (note) => JSON.stringify({ number: someNumber(), ...fields, note });

export const WRONG_MESSAGES = [
  { what: 'no JSON', makeBody: breakMessage },
  { what: 'a message without a number', makeBody: (text) => JSON.stringify({ text }) },
  { what: 'a message without a text', makeBody: withNote({}) },
  { what: 'an empty text', makeBody: withNote({ text: '' }) },
  { what: 'a negative number', makeBody: numbered(() => -1 - someNumber()) },
  { what: 'a number too large', makeBody: numbered(() => MODULUS + freshInteger()) },
  { what: 'a number with a fraction', makeBody: numbered(() => 0.5 + freshInteger()) },
  { what: 'a number that is text', makeBody: numbered(() => 'seven') },
];

export const TOO_LONG = {
  what: 'a text too long',
  makeBody: () => numbered(someNumber)(someText(MAX_CHARACTERS + 1)),
};

function parse(response) {
  try {
    return JSON.parse(response.body) || {};
  } catch (error) {
    return {};
  }
}

function show({ number, stamps, text }) {
  const start = JSON.stringify(String(text).slice(0, SHOWN_CHARACTERS));
  return `number ${number}, stamps ${stamps}, ${String(text).length} characters: ${start}`;
}

export function explainWrong(message, response) {
  const answer = parse(response);
  const { number, text, stamps } = answer;
  const isStamped =
    Array.isArray(stamps) &&
    stamps.length === PARTS.length &&
    stamps.every((stamp) => Number.isInteger(stamp) && stamp > 0);
  if (!isStamped) {
    return { expected: 'stamps of six services', got: show(answer) };
  }
  const right = passOn(message, stamps);
  return number === right.number && text === right.text
    ? null
    : { expected: show({ ...right, stamps }), got: show(answer) };
}
