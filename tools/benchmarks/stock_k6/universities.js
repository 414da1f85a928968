// The same for `universities-in-memory`; see chain.js.
import { SharedArray } from 'k6/data';
import http from 'k6/http';

import { controlShare } from './lib/controls.js';
import { signatureOf } from './lib/nonces.js';
import { target } from './lib/profiles.js';
import {
  EXPECTED_MS,
  FILE,
  REFUSALS,
  SIGNING,
  drawRequest,
  explainWrongRecords,
  groupByCountry,
  readAnswer,
} from './requests.js';
import { isRefused, requireRight, stockOptions } from './stock.js';

export const options = stockOptions;

const CONTROL_SHARE = controlShare(EXPECTED_MS);

const countries = new SharedArray('countries', () =>
  [...groupByCountry(JSON.parse(open(`${__ENV.TACHO_DATA}/${FILE}`)))].map(
    ([country, records]) => ({ country, recordsText: JSON.stringify(records) }),
  ),
);

const pick = (items) => items[Math.floor(Math.random() * items.length)];

// The last request of this virtual user whose token the service accepted.
let accepted = null;

function get({ path, headers }) {
  return http.get(target + path, { headers, responseType: 'text' });
}

function isRight({ nonce }, recordsText, response) {
  const { stamp, signature, universities } = readAnswer(response);
  return (
    response.status === 200 &&
    response.headers['Content-Type'] === 'application/json' &&
    signature === signatureOf(SIGNING.key, `${nonce} ${stamp}`) &&
    explainWrongRecords(recordsText, universities) === null
  );
}

export default function run() {
  const { country, recordsText } = pick(countries);
  if (accepted !== null && Math.random() < CONTROL_SHARE) {
    const token = pick(REFUSALS).makeToken(accepted);
    requireRight(isRefused(get(drawRequest(country, { nonce: accepted.nonce, token }))));
    return;
  }
  const request = drawRequest(country);
  requireRight(isRight(request, recordsText, get(request)));
  accepted = request;
}
