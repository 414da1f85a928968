import { randomSeed } from 'k6';
import tacho from 'k6/x/tacho';

import { conformance, expect, get, random, sendTogether } from './lib/conformance.js';
import { expectContent, expectEach, expectGeneralContract } from './lib/contract.js';
import { seed } from './lib/profiles.js';
import { bearer, sign } from './lib/token.js';

export { options } from './lib/conformance.js';

const PATH = '/universities';
const FILE = 'universities.json';
const FIELDS = ['web_pages', 'name', 'domains', 'alpha_two_code', 'country', 'state-province'];
const SECRET = __ENV.TACHO_JWT_SECRET;
const text = open(`${__ENV.TACHO_DATA}/${FILE}`);

function pathFor(country) {
  return `${PATH}?country=${encodeURIComponent(country)}`;
}

function ask(country, token = sign(SECRET)) {
  return get(pathFor(country), { headers: token === null ? {} : bearer(token) });
}

// Returns the record with sorted fields, so that records can be compared as text.
function normalise(record) {
  return JSON.stringify(FIELDS.map((field) => record[field]).concat(Object.keys(record).length));
}

function listOf(response) {
  try {
    return response.json().map(normalise);
  } catch (error) {
    return [`no list: ${error}`];
  }
}

function expectRecords(what, records, countries, responses) {
  expectContent(what, responses, 'application/json');
  expectEach(`${what} answers the country's universities, in the file's order`, {
    expected: 'all records of the country with all six fields, and no other',
    of: responses.map((response, index) => ({
      got: listOf(response),
      right: records.filter(({ country }) => country === countries[index]).map(normalise),
    })),
    isRight: ({ got, right }) =>
      got.length === right.length && got.every((record, index) => record === right[index]),
    show: ({ got, right }) => `${got.length} records, should be ${right.length}: ${got[0]}`,
  });
}

function expectRefused(country) {
  const signed = sign(SECRET);
  const [header, , signature] = signed.split('.');
  const [, otherClaims] = sign(SECRET, { claims: { sub: 'somebody else' } }).split('.');
  const refused = [
    ['no token', null],
    ['a token signed with another secret', sign(`${random(1, 1e9)}${SECRET.slice(10)}`)],
    ['a token whose claims were changed', `${header}.${otherClaims}.${signature}`],
    ['a token that has expired', sign(SECRET, { claims: { exp: 1000000000 } })],
    ['a token without signature', sign(SECRET, { algorithm: 'none' })],
    ['something that is no token', 'Hello-World'],
  ];
  refused.forEach(([what, token]) => {
    expect(`${what} is refused`, { expected: 'status 401', got: `status ${ask(country, token).status}` });
  });
}

function someCountries(records, count) {
  const all = [...new Set(records.map(({ country }) => country))];
  return Array.from({ length: count }, () => all[random(0, all.length - 1)]);
}

// The same records in another order, with a few new ones of a new country and of a known one.
function change(records, country) {
  const added = Array.from({ length: random(3, 9) }, (_, index) => ({
    web_pages: [`http://www.new${index}.example/`, `https://new${index}.example/`],
    name: `Université « ${random(1, 1e9)} »`,
    domains: [`new${index}.example`],
    alpha_two_code: 'XX',
    country: index % 2 === 0 ? country : 'Nowhere & Co',
    'state-province': index % 3 === 0 ? null : 'Somewhere',
  }));
  return [...added, ...records].reverse();
}

export default conformance(() => {
  randomSeed(seed);
  const records = JSON.parse(text);
  const headers = bearer(sign(SECRET));
  expectGeneralContract(PATH, headers);
  const [country, ...others] = someCountries(records, random(7, 9));
  expectRefused(country);
  expectRecords(`GET ${PATH} of ${country}`, records, [country], [ask(country)]);
  expectRecords(`GET ${PATH} of a country there is not`, records, ['Atlantis'], [ask('Atlantis')]);
  const together = sendTogether(
    others.map((name) => ({ method: 'GET', path: pathFor(name), body: null, headers })),
  );
  expectRecords(`each of ${others.length} GET ${PATH} sent together`, records, others, together);
  const changed = change(records, country);
  try {
    tacho.writeData(FILE, JSON.stringify(changed, null, 1));
    [country, 'Nowhere & Co'].forEach((name) => {
      const what = `GET ${PATH} of ${name} after the file has changed`;
      expectRecords(what, changed, [name], [ask(name)]);
    });
  } finally {
    tacho.writeData(FILE, text);
  }
  expectRecords('the file as it was is read again', records, [country], [ask(country)]);
});
