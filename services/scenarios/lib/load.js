// The load of load.js. Every response is checked, so that a service cannot win by answering wrong. Go
// sends the requests, with a small part of the CPU time that k6's own HTTP client uses.
//
// Exports
//   defineLoad({ requests, expectedMs = 0, countsFirstBytes = false, sampleShare = 0.01, compare })
//     the whole load.js: `options` and `run`.
//     requests    list of the kinds of requests, or a function that returns it for what setup()
//                 returned. One of them is drawn at random for each request:
//       share     of all requests; the kinds without a share get the rest in equal parts
//       isControl the service must refuse it. It counts as a request, but not in the latencies
//       method = 'GET', path, headers, body
//                 templates: {nonce} is an unpredictable value of each request (16 hexadecimal
//                 digits; one request in a hundred repeats one of the last 1,024), {nonce:5} its
//                 first 5 digits, {nonce:5:escaped} the same as escapes of JSON (\u0030), {integer}
//                 the nonce's last 30 bits as a decimal number
//       expect    what every response is checked for, see below
//       draw      (nonce) => values, for requests that templates alone cannot describe: called before
//                 each request of this kind, and {name} in the templates is values.name then. If it
//                 returns null, a request of another kind is drawn instead
//     expectedMs  how long a right answer takes by the scenario's nature, such as the delay of its
//                 upstream; it sizes the pool of connections
//     countsFirstBytes   whether the time to the first byte of responses is recorded as well
//     compare     ({ request, response }) => null or { expected, got }, called for a random
//                 `sampleShare` of the right responses to ordinary requests, while the load goes on.
//                 request: { method, nonce, integer, values }, values as draw() returned them.
//                 response: { status, body, stamp, signature, sentMs, endMs }, the times since the
//                 start of the load. With a share of 1, every response is compared: the load waits
//                 for the comparisons
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
//               k·gapMs − 2 ms. Streams whose lines arrive together are counted.
//
// load.js:
//   import { defineLoad } from './lib/load.js';
//   export const { options, run } = defineLoad({
//     requests: [
//       { path: '/hello?nonce={nonce}', expect: { text: 'Hello World!' } },
//       {
//         method: 'POST',
//         path: '/squares?nonce={nonce}',
//         body: '{"number":{number}}',
//         expect: { text: '{square}' },
//         draw: () => {
//           const number = Math.floor(Math.random() * 1000);
//           return { number, square: number * number };
//         },
//       },
//       { share: 0.001, isControl: true, path: '/{nonce}', expect: { status: 404 } },
//     ],
//   });
//   export default run;
//
// One virtual user draws and compares for all connections, in one thread. `make bench-loadgen` shows
// how many requests per second that allows.
import tacho from 'k6/x/tacho';

import { describeLoad, loadOptions, target, userAgent } from './profiles.js';

// Returns a kind of request as Go reads it.
function describe({ draw, expect: { pattern, ...others } = {}, ...kind }) {
  const source = pattern instanceof RegExp ? pattern.source : pattern;
  return { ...kind, isDrawn: draw !== undefined, expect: { ...others, pattern: source } };
}

export function defineLoad({
  requests,
  expectedMs = 0,
  countsFirstBytes = false,
  sampleShare = 0.01,
  compare = null,
}) {
  const load = { target, userAgent, sampleShare, ...describeLoad({ expectedMs }) };
  return {
    options: loadOptions({ countsFirstBytes }),
    run: (data) => {
      const kinds = typeof requests === 'function' ? requests(data) : requests;
      const draws = kinds.map(({ draw = null }) => draw);
      tacho.sendLoad({ ...load, requests: kinds.map(describe) }, { draws, compare });
    },
  };
}
