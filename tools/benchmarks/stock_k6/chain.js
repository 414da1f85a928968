// The load of `chain` as a script of k6 without any module of Tacho: k6's own HTTP client sends the
// same requests, and the script makes the same checks. `make bench-loadgen` compares it with load.js.
import http from 'k6/http';

import { controlShare } from './lib/controls.js';
import { freshNonce } from './lib/nonces.js';
import { parameters, target } from './lib/profiles.js';
import { EXPECTED_MS, WRONG_MESSAGES, asRequest, explainWrong, startText } from './requests.js';
import { isRefused, requireRight, stockOptions } from './stock.js';
import { someNumber, someText } from './steps.js';

export const options = stockOptions;

const CONTROL_SHARE = controlShare(EXPECTED_MS);
const text = someText(parameters.text_characters);

function post({ path, headers }, body) {
  return http.post(target + path, body, { headers, responseType: 'text' });
}

export default function run() {
  const message = { number: someNumber(), text: startText(freshNonce(), text) };
  const request = asRequest(message);
  if (Math.random() < CONTROL_SHARE) {
    const { makeBody } = WRONG_MESSAGES[Math.floor(Math.random() * WRONG_MESSAGES.length)];
    requireRight(isRefused(post(request, makeBody(message.text))));
    return;
  }
  const response = post(request, request.body);
  requireRight(
    response.status === 200 &&
      response.headers['Content-Type'] === 'application/json' &&
      explainWrong(message, response) === null,
  );
}
