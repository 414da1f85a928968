// The checks of services/CONTRACT.md for every service. Each verify.js uses them.
//
// Exports
//   expectText(what, responses)   every response has status 200 and is plain text;
//                                 `what` names the request in the evidence, such as "GET /hello"
//   expectContent(what, responses, type)   the same for another media type
//   expectGeneralContract(path, headers = {})
//                                 /health, unknown paths, a method that `path` does not have;
//                                 headers go with all but /health
//   expectAnswers(name, requests, responses)
//                                 one line of evidence: each response has the text that its
//                                 request (of kinds.js) expects; returns the stamps, in order
//   expectCounted(name, stamps)   one line of evidence: the stamps of requests sent together
//                                 are whole numbers that follow each other, in any order
//   expectEach(name, { expected, of, isRight, show })
//                                 one line of evidence for many things: passes when isRight
//                                 holds for each item of the list `of`; shows a few of those
//                                 it does not hold for, else a few of all
import { expect, get, send } from './conformance.js';
import { readStamp, showExpected } from './kinds.js';
import { freshNonce } from './nonces.js';

const SHOWN_ITEMS = 3;

export function expectEach(name, { expected, of, isRight, show = String }) {
  const wrong = of.filter((item) => !isRight(item));
  const shown = [...new Set((wrong.length > 0 ? wrong : of).map(show))].slice(0, SHOWN_ITEMS);
  const got = `${shown.join(', ')} (${of.length - wrong.length} of ${of.length} right)`;
  return expect(name, { expected, got, passed: of.length > 0 && wrong.length === 0 });
}

function expectAnswer(what, responses, type, typeName) {
  expectEach(`${what} answers 200`, {
    expected: 'status 200',
    of: responses,
    isRight: (response) => response.status === 200,
    show: (response) => `status ${response.status}${response.error ? ` (${response.error})` : ''}`,
  });
  expectEach(`${what} answers ${typeName}`, {
    expected: `Content-Type ${type}`,
    of: responses,
    isRight: ({ headers }) =>
      (headers['Content-Type'] || '').split(';', 1)[0].trim().toLowerCase() === type,
    show: ({ headers }) => `Content-Type ${headers['Content-Type'] || 'missing'}`,
  });
}

export function expectContent(what, responses, type) {
  expectAnswer(what, responses, type, `with Content-Type ${type}`);
}

export function expectText(what, responses) {
  expectAnswer(what, responses, 'text/plain', 'plain text');
}

export function expectGeneralContract(path, headers = {}) {
  expect('GET /health answers 200', { expected: 200, got: get('/health').status });
  const unknownPath = `/${freshNonce()}`;
  expect('an unknown path answers 404', {
    expected: `GET ${unknownPath}: 404`,
    got: `GET ${unknownPath}: ${get(unknownPath, { headers }).status}`,
  });
  const { status } = send('DELETE', path, null, { headers });
  expect('a method that is not offered is refused', {
    expected: `DELETE ${path}: 404 or 405`,
    got: `DELETE ${path}: ${status}`,
    passed: status === 404 || status === 405,
  });
}

export function expectAnswers(name, requests, responses) {
  const answers = responses.map(({ body }, index) => {
    const request = requests[index];
    return { body, right: showExpected(request), stamp: readStamp(request, body) };
  });
  expectEach(name, {
    expected: answers[0].right,
    of: answers,
    isRight: ({ stamp }) => stamp !== null,
    show: ({ body, right }) => `${JSON.stringify(body)}, should be ${right}`,
  });
  return answers.map(({ stamp }) => stamp);
}

export function expectCounted(name, stamps) {
  const sorted = [...stamps].sort((stamp, other) => stamp - other);
  return expect(name, {
    expected: `${stamps.length} whole numbers that follow each other, in any order`,
    got: stamps.join(' '),
    passed: sorted.every(
      (stamp, index) => Number.isInteger(stamp) && stamp > 0 && stamp === sorted[0] + index,
    ),
  });
}
