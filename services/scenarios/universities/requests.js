// The requests of the scenario, for load.js and verify.js. Only the universities service and the
// scripts have the key of the signature.
//
// Exports
//   FILE               the name of the data file
//   EXPECTED_MS        about how long an answer takes
//   tokenFor(nonce)    the right token
//   describeRequest({ hasToken = true })
//                      { path, headers } as templates of {country}, {user} and {token}. A country is
//                      percent-encoded, and the user is the nonce of the request
//   drawRequest(country, { nonce = freshNonce(), token = tokenFor(nonce) })
//                      { method, path, headers, body, nonce, token }; a token of null is left out
//   REFUSALS           the kinds of wrong tokens: [{ what, makeToken(request) }]. A wrong token is
//                      made from the token of a request { nonce, token } that the service has
//                      accepted. NO_TOKEN has none
//   SIGNING            how the universities service signs
//   groupByCountry(records)   a map from each country to its records, in their order
//   countriesOf(records)   the countries, each once
//   recordsOf(records, country)   the records of a country, in their order
//   explainWrong(nonce, records, response)
//                      null if the response is a correct answer with these records, else
//                      { expected, got }
//   explainWrongRecords(recordsText, universities)
//                      the same for a list of records, which are given as JSON
//   readAnswer(response)   the answer { stamp, signature, universities }, empty if it is not valid JSON
//   readStamp(response)    the stamp of an answer, or null
import * as kinds from './lib/kinds.js';
import { freshNonce, signatureOf } from './lib/nonces.js';
import { bearer, sign } from './lib/token.js';

export const FILE = 'universities.json';

export const EXPECTED_MS = 50;

const FIELDS = ['web_pages', 'name', 'domains', 'alpha_two_code', 'country', 'state-province'];
const JWT_SECRET = __ENV.TACHO_JWT_SECRET;
const SIGNING_KEY = __ENV.TACHO_SIGNING_KEY;
const EXPIRED = 1000000000;

export const SIGNING = { key: SIGNING_KEY, text: '{nonce} {stamp}' };

export function tokenFor(nonce, options = {}) {
  const { secret = JWT_SECRET, claims = {}, algorithm } = options;
  return sign(secret, { claims: { sub: nonce, ...claims }, algorithm });
}

// Returns a token with the first parts of a token and the signature of another token.
function withSignature(token, other) {
  const [header, claims] = token.split('.');
  return [header, claims, other.split('.')[2]].join('.');
}

export const NO_TOKEN = { what: 'no token', makeToken: () => null };

export const REFUSALS = [
  NO_TOKEN,
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

export function describeRequest({ hasToken = true } = {}) {
  return {
    path: '/universities?country={country}&nonce={user}',
    headers: hasToken ? bearer('{token}') : {},
  };
}

export function drawRequest(country, { nonce = freshNonce(), token = tokenFor(nonce) } = {}) {
  const values = { country: encodeURIComponent(country), user: nonce, token };
  const kind = describeRequest({ hasToken: token !== null });
  return { ...kinds.drawRequest(kind, { nonce, values }), token };
}

export function groupByCountry(records) {
  const groups = new Map();
  records.forEach((record) => {
    const { country } = record;
    if (!groups.has(country)) {
      groups.set(country, []);
    }
    groups.get(country).push(record);
  });
  return groups;
}

export function countriesOf(records) {
  return [...groupByCountry(records).keys()];
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
