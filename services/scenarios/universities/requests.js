// The requests of the scenario, for load.js and verify.js. Only the universities service and the
// scripts have the key of the signature.
//
// Exports
//   FILE               the name of the data file
//   EXPECTED_MS        about how long an answer takes
//   drawRequest(country, { nonce = freshNonce(), token = tokenFor(nonce) })
//                      { method, path, headers, body, nonce, token }; a token of null is left out
//   REFUSALS           the kinds of wrong tokens: [{ what, makeToken(request) }]. A wrong token is
//                      made from the token of a request that the service has accepted
//   expectation        what every response to an ordinary request is checked for
//   countriesOf(records)   the countries, each once
//   recordsOf(records, country)   the records of a country, in their order
//   explainWrong(nonce, records, response)
//                      null if the response is a correct answer with these records, else
//                      { expected, got }
//   explainWrongRecords(recordsText, universities)
//                      the same for a list of records, which are given as JSON
//   readAnswer(response)   the answer { stamp, signature, universities }, empty if it is not valid JSON
//   readStamp(response)    the stamp of an answer, or null
import { freshNonce, signatureOf } from './lib/nonces.js';
import { bearer, sign } from './lib/token.js';

export const FILE = 'universities.json';

export const EXPECTED_MS = 50;

const PATH = '/universities';
const FIELDS = ['web_pages', 'name', 'domains', 'alpha_two_code', 'country', 'state-province'];
const JWT_SECRET = __ENV.TACHO_JWT_SECRET;
const SIGNING_KEY = __ENV.TACHO_SIGNING_KEY;
const EXPIRED = 1000000000;

export const expectation = {
  status: 200,
  type: 'application/json',
  signing: { key: SIGNING_KEY, text: '{nonce} {stamp}' },
};

function tokenFor(nonce, options = {}) {
  const { secret = JWT_SECRET, claims = {}, algorithm } = options;
  return sign(secret, { claims: { sub: nonce, ...claims }, algorithm });
}

// Returns a token with the first parts of a token and the signature of another token.
function withSignature(token, other) {
  const [header, claims] = token.split('.');
  return [header, claims, other.split('.')[2]].join('.');
}

export const REFUSALS = [
  { what: 'no token', makeToken: () => null },
  {
    what: 'a token signed with another secret',
    makeToken: ({ nonce, token }) => {
      const secret = `${freshNonce()}${JWT_SECRET.slice(16)}`;
      return withSignature(token, tokenFor(nonce, { secret }));
    },
  },
  {
    what: 'a token whose claims were changed',
    makeToken: ({ token }) => withSignature(tokenFor(freshNonce()), token),
  },
  {
    what: 'a token that has expired',
    makeToken: ({ nonce }) => tokenFor(nonce, { claims: { exp: EXPIRED } }),
  },
  {
    what: 'a token without signature',
    makeToken: ({ nonce }) => tokenFor(nonce, { algorithm: 'none' }),
  },
  { what: 'something that is no token', makeToken: freshNonce },
];

export function drawRequest(country, { nonce = freshNonce(), token = tokenFor(nonce) } = {}) {
  return {
    method: 'GET',
    path: `${PATH}?country=${encodeURIComponent(country)}&nonce=${nonce}`,
    headers: token === null ? {} : bearer(token),
    body: null,
    nonce,
    token,
  };
}

export function countriesOf(records) {
  return [...new Set(records.map(({ country }) => country))];
}

export function recordsOf(records, country) {
  return records.filter((record) => record.country === country);
}

export function readAnswer(response) {
  try {
    return JSON.parse(response.body) || {};
  } catch (error) {
    return {};
  }
}

export function readStamp(response) {
  const { stamp } = readAnswer(response);
  return Number.isInteger(stamp) && stamp > 0 ? stamp : null;
}

// Returns the record with sorted fields, so that records can be compared as text.
function normalise(record) {
  return JSON.stringify(FIELDS.map((field) => record[field]).concat(Object.keys(record).length));
}

export function explainWrongRecords(recordsText, got) {
  if (!Array.isArray(got)) {
    return { expected: 'a list of universities', got: JSON.stringify(got) };
  }
  if (JSON.stringify(got) === recordsText) {
    return null;
  }
  const records = JSON.parse(recordsText);
  const right = records.map(normalise);
  const index = right.findIndex(
    (text, position) => position >= got.length || normalise(got[position]) !== text,
  );
  if (index === -1 && got.length === right.length) {
    return null;
  }
  const position = index === -1 ? right.length : index;
  const show = (list) =>
    `${list.length} records, record ${position}: ${JSON.stringify(list[position])}`;
  return { expected: show(records), got: show(got) };
}

export function explainWrong(nonce, records, response) {
  const { stamp, signature, universities } = readAnswer(response);
  const right = signatureOf(SIGNING_KEY, `${nonce} ${stamp}`);
  if (readStamp(response) === null || signature !== right) {
    const shown = String(response.body).slice(0, 100);
    return { expected: `a stamp and its signature: ${right}`, got: `${signature} in ${shown}` };
  }
  return explainWrongRecords(JSON.stringify(records), universities);
}
