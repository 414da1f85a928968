// The requests of load.js. Every response is checked, so that a service cannot win by answering
// wrong. Most scenarios use plainLoad, which sends from Go with a tenth of the CPU time.
//
// Exports
//   plainLoad({ requests, expectedMs = 0, countsFirstBytes = false, sampleShare = 0.01, compare })
//     the whole load.js: `options` and `run`.
//     requests    list of the kinds of requests, drawn at random for each request:
//       share     of all requests; the kinds without a share get the rest in equal parts
//       isControl the service must refuse it. It counts as a request, but not in the latencies
//       method = 'GET', path, headers, body
//                 templates: {nonce} is an unpredictable value of each request (16 hexadecimal
//                 digits; one request in a hundred repeats one of the last 1,024), {nonce:5} its
//                 first 5 digits, {nonce:5:escaped} the same as escapes of JSON (\u0030), {integer}
//                 the nonce's last 30 bits as a decimal number
//       expect    what every response is checked for, see below
//     expectedMs, countsFirstBytes   as in loadOptions()
//     compare     ({ request, response }) => null or { expected, got }, called for a random
//                 `sampleShare` of the right responses to ordinary requests, while the load goes on.
//                 request: { method, path, body, nonce, integer }, response: { status, body }
//   request({ method = 'GET', path, headers, body, isControl = false, nonce, expect, compare,
//             sampleShare = 1 })
//     sends a request that needs logic of its own, and returns k6's response with `body` as text.
//     path, headers and body are not templates here; `nonce` is the one for templates in `expect`,
//     and compare is called with the response.
//   drawNonce()            string: the nonce of another request
//   isControlDue(share)    boolean, true for a random share of the calls
//
// expect
//   status      number, or [lowest, highest]; 200 by default. Another status below 400 is a wrong
//               response; 400 and more is a failed request (of a control request also wrong, below
//               500)
//   type        Content-Type without parameters
//   text        template of the whole body. {stamp} is a decimal number of the response, {signature}
//               its 16 digits for `signing`
//   signing     { key, text }: the signature is the first 16 hexadecimal digits of the HMAC-SHA256 of
//               the text (a template with {stamp}). Without `text`, the body is a JSON object with
//               members `stamp` and `signature`
//   pattern     regular expression that the body matches (JavaScript and Go must read it alike,
//               without flags)
//   bytes       [fewest, most] of the body
//   contains    template of a part of the body
//   stream      { items, gapMs }: the body has so many lines, and line k arrives no earlier than
//               k·gapMs − 2 ms. Streams whose lines arrive together are counted. Only in plainLoad
//
// load.js:
//   import { plainLoad } from './lib/request.js';
//   export const { options, run } = plainLoad({
//     requests: [
//       { path: '/hello?nonce={nonce}', expect: { text: 'Hello World!' } },
//       { share: 0.001, isControl: true, path: '/{nonce}', expect: { status: 404 } },
//     ],
//   });
//   export default run;
//
// Each request of load.js must use this module. begin() reports the start of the load to the output,
// and prevents requests after its end. done() reports that no request waits for a response or
// for its checks.
import http from 'k6/http';
import tacho from 'k6/x/tacho';

import { isSummarised, loadOptions, parameters, sentFromGo, target, userAgent } from './profiles.js';

export function drawNonce() {
  return tacho.drawNonce();
}

export function isControlDue(share = 0.01) {
  return tacho.isDrawn(share);
}

// Returns an expectation as Go reads it.
function describe({ pattern, ...others }) {
  return pattern instanceof RegExp ? { ...others, pattern: pattern.source } : { ...others, pattern };
}

const statusCallbacks = {};

// Returns what makes k6 count other statuses as failures.
function expectStatus(status = 200) {
  if (!(status in statusCallbacks)) {
    const [min, max] = Array.isArray(status) ? status : [status, status];
    statusCallbacks[status] = http.expectedStatuses({ min, max });
  }
  return statusCallbacks[status];
}

// Returns the tags of a request. Each tag costs time, so ordinary requests have one only if k6 keeps
// figures of its own.
function tagsFor(isControl) {
  if (isControl) {
    return { tags: { control: 'yes' } };
  }
  return isSummarised ? { tags: { control: 'no' } } : {};
}

// Returns whether a network error ended the response. k6's code of a mere status is 1000 + status.
function isCutOff({ status, error_code: code }) {
  return status === 0 || (code > 0 && code !== 1000 + status);
}

function findDifference(compare, response) {
  try {
    return compare(response) || null;
  } catch (error) {
    const got = `${error}: ${response.body}`;
    return { expected: 'a response that can be compared', got };
  }
}

// Sends a request, checks and counts its response, and returns it.
function sendAndCheck({
  method = 'GET',
  path,
  headers,
  body = null,
  isControl = false,
  nonce = '',
  expect = {},
  compare,
  sampleShare = 1,
}) {
  const response = http.request(method, target + path, body, {
    timeout: parameters.timeout_ms,
    responseType: 'text',
    responseCallback: expectStatus(expect.status),
    ...(headers ? { headers } : {}),
    ...tagsFor(isControl),
  });
  const judged = tacho.judge(
    JSON.stringify(describe(expect)),
    isControl,
    nonce,
    isCutOff(response) ? 0 : response.status,
    response.headers['Content-Type'] || '',
    response.body || '',
  );
  const isRight = judged.isAnswered && !judged.isWrong;
  let found = judged;
  if (compare && isRight && !isControl && tacho.isSampled(sampleShare)) {
    const difference = findDifference(compare, response);
    found = { ...judged, isCompared: true, isWrong: difference !== null, ...difference };
  }
  tacho.settle(`${method} ${path}`, isControl, found);
  return response;
}

export function request(given) {
  tacho.begin(given.isControl === true);
  try {
    return sendAndCheck(given);
  } finally {
    tacho.done();
  }
}

export function plainLoad({
  requests,
  expectedMs = 0,
  countsFirstBytes = false,
  sampleShare = 0.01,
  compare = null,
}) {
  const options = loadOptions({ expectedMs, isSentFromGo: true, countsFirstBytes });
  const load = {
    target,
    userAgent,
    sampleShare,
    ...sentFromGo({ expectedMs }),
    requests: requests.map(({ expect = {}, ...others }) => ({
      ...others,
      expect: describe(expect),
    })),
  };
  return { options, run: () => tacho.sendLoad(load, compare) };
}
