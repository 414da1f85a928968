import { SharedArray } from 'k6/data';
import data from 'k6/x/data';

import { controlShare } from './lib/controls.js';
import { arrive, loadOptions, pause } from './lib/profiles.js';
import { drawNonce, isControlDue, request } from './lib/request.js';
import {
  EXPECTED_MS,
  FILE,
  REFUSALS,
  countriesOf,
  drawRequest,
  expectation,
  explainWrongRecords,
  readAnswer,
  recordsOf,
} from './requests.js';
import { FILE_CHANGES } from './rules.js';

export const options = loadOptions({ expectedMs: EXPECTED_MS });

const CONTROL_SHARE = controlShare(EXPECTED_MS);
const expectRefusal = { status: 401 };

// Each country with its records as JSON. All virtual users share it.
const countries = new SharedArray('countries', () => {
  const records = JSON.parse(open(`${__ENV.TACHO_DATA}/${FILE}`));
  return countriesOf(records).map((country) => ({
    country,
    recordsText: JSON.stringify(recordsOf(records, country)),
  }));
});

// The last request of this virtual user whose token the service accepted.
let accepted = null;

const pick = (items) => items[Math.floor(Math.random() * items.length)];

function sendRefused() {
  const { makeToken } = pick(REFUSALS);
  const { country } = pick(countries);
  const { path, headers } = drawRequest(country, {
    nonce: accepted.nonce,
    token: makeToken(accepted),
  });
  request({ path, headers, isControl: true, expect: expectRefusal });
}

// The name of one record of the country changes all the time. The response must have a name that it
// had after the request was sent.
function explainWrong({ country, recordsText }, version, response) {
  const { universities } = readAnswer(response);
  if (!FILE_CHANGES) {
    return explainWrongRecords(recordsText, universities);
  }
  const { index, names, original } = data.possibleNames(country, version);
  const marked = Array.isArray(universities) ? universities[index] : undefined;
  if (marked && names.length > 0) {
    if (!names.includes(marked.name)) {
      return { expected: `record ${index} with the name ${names[names.length - 1]}`, got: marked.name };
    }
    marked.name = original;
  }
  return explainWrongRecords(recordsText, universities);
}

function sendAccepted() {
  const nonce = drawNonce();
  // A repeated nonce comes with the same country, so that a kept answer would do.
  const known = countries[parseInt(nonce.slice(0, 8), 16) % countries.length];
  const drawn = drawRequest(known.country, { nonce });
  const version = FILE_CHANGES ? data.keepChanging(FILE) : null;
  const { path, headers } = drawn;
  const response = request({
    path,
    headers,
    nonce,
    expect: expectation,
    compare: (answer) => explainWrong(known, version, answer),
  });
  if (response.status === 200) {
    accepted = drawn;
  }
}

export default function run() {
  arrive({ expectedMs: EXPECTED_MS });
  if (accepted !== null && isControlDue(CONTROL_SHARE)) {
    sendRefused();
  } else {
    sendAccepted();
  }
  pause();
}
