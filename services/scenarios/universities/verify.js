import { randomSeed } from 'k6';
import tacho from 'k6/x/tacho';

import { conformance, count, expect, random, sendTogether } from './lib/conformance.js';
import { expectContent, expectCounted, expectEach, expectGeneralContract } from './lib/contract.js';
import { seed } from './lib/profiles.js';
import {
  FILE,
  REFUSALS,
  countriesOf,
  drawRequest,
  explainWrong,
  readStamp,
  recordsOf,
} from './requests.js';
import { FILE_CHANGES } from './rules.js';

export { options } from './lib/conformance.js';

const WHAT = 'GET /universities';
const UNKNOWN_COUNTRY = 'Atlantis';
const text = open(`${__ENV.TACHO_DATA}/${FILE}`);

// Sends a request for each country, together, and returns the stamps.
function expectRecords(what, records, requests) {
  const responses = sendTogether(requests.map(({ request }) => request));
  expectContent(what, responses, 'application/json');
  const answers = responses.map((response, index) => {
    const { request, country } = requests[index];
    const right = recordsOf(records, country);
    return {
      wrong: explainWrong(request.nonce, right, response),
      right,
      stamp: readStamp(response),
    };
  });
  expectEach(`${what} answers the country's universities, in the file's order`, {
    expected: 'stamp, signature and all records of the country, with all six fields',
    of: answers,
    isRight: ({ wrong }) => wrong === null,
    show: ({ wrong, right }) =>
      wrong === null ? `${right.length} records` : `${wrong.got}, should be ${wrong.expected}`,
  });
  return answers.map(({ stamp }) => stamp);
}

function ask(country, given) {
  return { country, request: drawRequest(country, given) };
}

// Sends the request of an accepted token again. A service that keeps answers would have this one.
function expectAgain(records, { country, request: { nonce } }) {
  const what = `${WHAT} of ${country} with the same nonce again`;
  return expectRecords(what, records, [ask(country, { nonce })]);
}

// Sends one request for a country, and returns its stamp.
function expectCountry(records, country, what = `${WHAT} of ${country}`) {
  return expectRecords(what, records, [ask(country)]);
}

// Sends wrong tokens that are made from the token of an accepted request.
function expectRefused({ country, request }) {
  REFUSALS.forEach(({ what, makeToken }) => {
    const wrong = drawRequest(country, { nonce: request.nonce, token: makeToken(request) });
    const [{ status }] = sendTogether([wrong]);
    expect(`${what} is refused`, { expected: 'status 401', got: `status ${status}` });
  });
}

function someCountries(records, length) {
  const all = countriesOf(records);
  return Array.from({ length }, () => all[random(0, all.length - 1)]);
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

function expectFileRead(records, country) {
  const changed = change(records, country);
  const stamps = [];
  try {
    tacho.writeData(FILE, JSON.stringify(changed, null, 1));
    [country, 'Nowhere & Co'].forEach((name) => {
      const what = `${WHAT} of ${name} after the file has changed`;
      stamps.push(...expectCountry(changed, name, what));
    });
  } finally {
    tacho.writeData(FILE, text);
  }
  stamps.push(...expectCountry(records, country, 'the file as it was is read again'));
  return stamps;
}

// Sends requests with the same country, and with the same nonce, among others.
function expectTogether(records, countries) {
  const requests = countries.map((country) => ask(country));
  const [{ country, request }] = requests;
  requests.push(ask(country), ask(country, { nonce: request.nonce }));
  return expectRecords(`each of ${requests.length} ${WHAT} sent together`, records, requests);
}

// Returns whether the count could be read.
function countCalls(records, what, ownCalls) {
  const [country] = someCountries(records, 1);
  const [stamp] = expectCountry(records, country, what);
  if (stamp !== null) {
    count('calls of the universities service', stamp - ownCalls);
  }
  return stamp !== null;
}

function expectGeneral() {
  const { path, headers } = drawRequest(UNKNOWN_COUNTRY);
  expectGeneralContract(path, headers);
}

function verifyBefore() {
  randomSeed(seed);
  const records = JSON.parse(text);
  expectGeneral();
  const [country, ...others] = someCountries(records, random(6, 8));
  const accepted = ask(country);
  const [first] = expectRecords(`${WHAT} of ${country}`, records, [accepted]);
  expectRefused(accepted);
  const stamps = [
    first,
    ...expectAgain(records, accepted),
    ...expectCountry(records, UNKNOWN_COUNTRY, `${WHAT} of a country there is not`),
    ...expectTogether(records, others),
    ...(FILE_CHANGES ? expectFileRead(records, country) : []),
  ];
  expectCounted('each accepted request calls the universities service exactly once', stamps);
  countCalls(records, `the last ${WHAT} before the load`, 0);
}

function verifyAfter() {
  randomSeed(seed);
  const records = JSON.parse(text);
  // The request that reads the count is a call that the load did not cause.
  if (!countCalls(records, `the first ${WHAT} after the load`, 1)) {
    return;
  }
  expectGeneral();
  const [country, ...others] = someCountries(records, 2);
  const accepted = ask(country);
  const [first] = expectRecords(`${WHAT} of ${country}`, records, [accepted]);
  expectRefused(accepted);
  const stamps = [first, ...expectAgain(records, accepted), ...expectTogether(records, others)];
  expectCounted('each accepted request calls the universities service exactly once', stamps);
}

export default conformance(verifyBefore, verifyAfter);
