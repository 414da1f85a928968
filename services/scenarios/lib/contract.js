// The checks of services/CONTRACT.md for every service. Each verify.js uses them.
//
// Exports
//   expectText(what, responses)   every response has status 200 and is plain text;
//                                 `what` names the request in the evidence, such as "GET /hello"
//   expectContent(what, responses, type)   the same for another media type
//   expectGeneralContract(path, headers = {})
//                                 /health, unknown paths, a method that `path` does not have;
//                                 headers go with all but /health
//   expectEach(name, { expected, of, isRight, show })
//                                 one line of evidence for many things: passes when isRight
//                                 holds for each item of the list `of`; shows a few of those
//                                 it does not hold for, else a few of all
import { expect, get, random, send } from './conformance.js';

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
  const unknownPath = `/unknown-${random(1e6, 1e9)}`;
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
