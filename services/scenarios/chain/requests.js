// The requests of the scenario, for load.js and verify.js.
//
// Exports
//   MAX_CHARACTERS     the length of the longest text
//   startText(nonce, text)
//                      the text with digits of the nonce instead of its beginning
//   asRequest(message) { method, path, body, headers } of a message { number, text }
//   wrongMessages(text)
//                      messages that must be refused: [{ what, body }], with this text where it
//                      has no fault
//   explainWrong(message, response)
//                      null if the response is right for its stamps, else { expected, got }
import { freshInteger } from './lib/nonces.js';
import { MODULUS, PARTS, passOn } from './steps.js';

export const MAX_CHARACTERS = 1000000;

const PATH = '/chain';
const SHOWN_CHARACTERS = 40;
const headers = { 'Content-Type': 'application/json' };

export function startText(nonce, text) {
  const digits = nonce.slice(0, text.length);
  return digits + text.slice(digits.length);
}

export function asRequest(message) {
  return { method: 'POST', path: PATH, body: JSON.stringify(message), headers };
}

export function wrongMessages(text) {
  const number = freshInteger();
  return [
    { what: 'no JSON', body: '{"number":' },
    { what: 'a message without a number', body: JSON.stringify({ text }) },
    { what: 'a message without a text', body: JSON.stringify({ number }) },
    { what: 'an empty text', body: JSON.stringify({ number, text: '' }) },
    { what: 'a negative number', body: JSON.stringify({ number: -1 - number, text }) },
    { what: 'a number too large', body: JSON.stringify({ number: MODULUS + number, text }) },
    { what: 'a number with a fraction', body: JSON.stringify({ number: 0.5 + number, text }) },
    { what: 'a number that is text', body: JSON.stringify({ number: 'seven', text }) },
  ];
}

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
