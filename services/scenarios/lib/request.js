// The one way load.js sends a request: every request counts, one in a hundred is read
// and checked, so that a service cannot win by answering wrong.
//
// Exports
//   request(path, { isRight, method = 'GET', body = null, headers = {}, read = false })
//     path     appended to the service's base URL
//     isRight  (response) => boolean, called for one response in a hundred (including the
//              first) whose status is below 400; `response` is k6's own, with `body` as
//              text. false or an exception counts as an error of kind `check`.
//     read     true keeps the body of every response, for scripts that need it
//     returns  k6's response; `body` is null unless it was sampled or `read`
//   plainGet(path, { body, expectedMs = 0 })
//     the whole load.js of a scenario that is one GET: `options` and `run`. All profiles but
//     `users` are sent from Go, with a tenth of the CPU time; that one by request().
//     body        a right answer has status 200 and this body: text or regular expression (one
//                 that JavaScript and Go read alike, without flags)
//     expectedMs  as in loadOptions()
//
// load.js:
//   import { plainGet } from './lib/request.js';
//   export const { options, run } = plainGet('/hello', { body: 'Hello World!' });
//   export default run;
//
// Each request of load.js must use this module. begin() reports the start of the load to the output,
// and prevents requests after its end. done() reports that no request waits for a response.
import { check } from 'k6';
import http from 'k6/http';
import tacho from 'k6/x/tacho';

import { arrive, loadOptions, parameters, pause, sentFromGo, target, userAgent } from './profiles.js';

const CHECK_NAME = 'the answer is right';
const SHOWN_BODY_CHARACTERS = 200;

let isWrongAnswerShown = false;

function isAnswerRight(response, isRight) {
  try {
    return isRight(response) === true;
  } catch (error) {
    console.error(`the check of the answer failed: ${error}`);
    return false;
  }
}

function checkSampled(response, isRight) {
  const passed = check(response, { [CHECK_NAME]: () => isAnswerRight(response, isRight) });
  if (!passed && !isWrongAnswerShown) {
    isWrongAnswerShown = true; // once per virtual user, to keep the log short
    const shown = String(response.body).slice(0, SHOWN_BODY_CHARACTERS);
    console.error(`wrong response from ${response.url}: status ${response.status}, body ${shown}`);
  }
}

function sendAndWait(method, path, body, given) {
  try {
    return http.request(method, target + path, body, { timeout: parameters.timeout_ms, ...given });
  } finally {
    tacho.done();
  }
}

export function request(path, { isRight, method = 'GET', body = null, headers, read = false }) {
  const isSampled = tacho.begin();
  const response = sendAndWait(method, path, body, {
    responseType: isSampled || read ? 'text' : 'none',
    ...(headers ? { headers } : {}),
  });
  if (isSampled && response.status > 0 && response.status < 400) {
    checkSampled(response, isRight);
  }
  return response;
}

function plainGetByVirtualUsers(path, body, expectedMs) {
  const isBodyRight = body instanceof RegExp ? (text) => body.test(text) : (text) => text === body;
  const isRight = (response) => response.status === 200 && isBodyRight(response.body);
  return () => {
    arrive({ expectedMs });
    request(path, { isRight });
    pause();
  };
}

export function plainGet(path, { body, expectedMs = 0 }) {
  const sent = sentFromGo({ expectedMs });
  const options = loadOptions({ expectedMs, isSentFromGo: sent !== null });
  if (sent === null) {
    return { options, run: plainGetByVirtualUsers(path, body, expectedMs) };
  }
  const right = body instanceof RegExp ? { bodyPattern: body.source } : { bodyText: body };
  return {
    options,
    run: () => tacho.sendGets({ url: target + path, userAgent, ...sent, ...right }),
  };
}
