// The load of an `.http` file, in which a team describes requests to its own service. requests.js
// exports the file as backend/core/catalog/own/http_file.py renders it.
//
// Some responses contain values that other requests need, such as a token. Their requests are sent
// once before the load, in the order of the file: once by each load generator, and once by each run
// of verify.js. Cookies are not kept, because the load keeps none either.
//
// Exports
//   defineFileLoad(file)   the whole load.js: `options`, `setup` and `run`. setup() returns the
//                          captured values by their references, such as
//                          { 'login.response.body.$.token': 'abc' }
//   readResponses(file)    what responses.js exports as default. It sends the requests of the load
//                          one after another for some seconds, at least once, with the same random
//                          values in each run with the same seed, and emits their responses
//   verifyFile(file)       what verify.js exports as default. It sends each request of the load
//                          once, in the order of the file, and expects its status. It sends none
//                          if a value cannot be captured
//
// file: { name, before, load }. `before` are the requests that are sent before the load, and `load`
// those of the load. A request can be in both.
//   line, name, shown      for messages. `shown` is method and path as in the file
//   method, path, headers, body
//                          templates: {vaa} stands for a value
//   drawn                  { vaa: [kind, ...arguments] }, the values that are new for every request,
//                          and constants, which are texts that look like a value's placeholder
//   captured               { vab: reference }
//   captures               { reference: { part: 'body' | 'headers', path } }
//   status                 [lowest, highest] that is expected
//   weight                 share of the load, in relation to the other weights
//
// load.js:
//   import { defineFileLoad } from './lib/http_file.js';
//   import { file } from './requests.js';
//   export const { options, setup, run } = defineFileLoad(file);
//   export default run;
//
// verify.js:
//   import { verifyFile } from './lib/http_file.js';
//   import { file } from './requests.js';
//   export { options } from './lib/conformance.js';
//   export default verifyFile(file);
import { randomSeed } from 'k6';
import crypto from 'k6/crypto';
import http from 'k6/http';
import tacho from 'k6/x/tacho';

import { conformance, expect, send } from './conformance.js';
import { defineLoad } from './load.js';
import { seed, userAgent } from './profiles.js';

const SHOWN_CHARACTERS = 200;
// Two versions are compared by so many responses, or by those of so many milliseconds.
const MOST_RESPONSES = 200;
const READING_MS = 10000;
const BODY_CHARACTERS = 65536;
const PLACEHOLDER = /\{([a-z]+)\}/g;
// The load generator replaces these placeholders in every template.
const FIXED = /\{(nonce|integer|stamp|signature)(:\d{1,2}(:escaped)?)?\}/;
const ORIGIN = /^https?:\/\/[^/?#]*/i;
const UNSAFE_IN_PATH = /[^\x21-\x7e]+/gu;

// ── Values ───────────────────────────────────────────────────────────────────────────────────

function drawUuid() {
  const parts = Array.from({ length: 4 }, () => Math.floor(Math.random() * 2 ** 32));
  const digits = parts.map((part) => part.toString(16).padStart(8, '0')).join('');
  const variant = '89ab'[Math.floor(Math.random() * 4)];
  const groups = [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `4${digits.slice(13, 16)}`,
    variant + digits.slice(17, 20),
    digits.slice(20),
  ];
  return groups.join('-');
}

const DRAWS = {
  uuid: drawUuid,
  integer: (low, end) => low + Math.floor(Math.random() * (end - low)),
  timestamp: () => Math.floor(Date.now() / 1000),
  isoTimestamp: () => new Date().toISOString(),
};

// Returns a function that draws the values of a request, and adds those that do not change.
function makeDraw(drawn, fixed) {
  const constants = { ...fixed };
  const draws = [];
  Object.entries(drawn).forEach(([name, [kind, ...given]]) => {
    if (kind === 'text') {
      [constants[name]] = given;
    } else {
      draws.push([name, () => DRAWS[kind](...given)]);
    }
  });
  return () => {
    const values = { ...constants };
    draws.forEach(([name, draw]) => {
      values[name] = draw();
    });
    return values;
  };
}

// Returns a captured value as a part of a path. At the beginning of the path, it may be a whole URL.
function toPath(value, isFirst) {
  const encoded = value.replace(UNSAFE_IN_PATH, encodeURIComponent);
  if (!isFirst) {
    return encoded;
  }
  const path = encoded.replace(ORIGIN, '');
  return path.startsWith('/') ? path : `/${path}`;
}

// Returns the captured values of a request by the names of their placeholders.
function pickCaptured({ path, captured }, values) {
  const entries = Object.entries(captured).map(([name, reference]) => {
    const at = path.indexOf(`{${name}}`);
    return [name, at < 0 ? values[reference] : toPath(values[reference], at === 0)];
  });
  return Object.fromEntries(entries);
}

function fill({ path, headers, body }, values) {
  const replace = (text) =>
    text.replace(PLACEHOLDER, (found, name) => (Object.hasOwn(values, name) ? values[name] : found));
  const filled = Object.entries(headers).map(([name, text]) => [name, replace(text)]);
  return {
    path: replace(path),
    headers: Object.fromEntries(filled),
    body: body === null ? null : replace(body),
  };
}

// ── Single requests ──────────────────────────────────────────────────────────────────────────

function sendOnce(request, values) {
  const { path, headers, body } = fill(
    request,
    makeDraw(request.drawn, pickCaptured(request, values))(),
  );
  return send(request.method, path, body, {
    headers: { 'User-Agent': userAgent, ...headers },
    redirects: 0,
    jar: new http.CookieJar(),
  });
}

function isExpected({ status: [lowest, highest] }, { status }) {
  return status >= lowest && status <= highest;
}

function showStatuses({ status: [lowest, highest] }) {
  return lowest === highest ? `status ${lowest}` : `status ${lowest} to ${highest}`;
}

function showResponse({ status, body, error }) {
  if (status === 0) {
    return `no response: ${error}`;
  }
  return `status ${status}: ${String(body || '').slice(0, SHOWN_CHARACTERS)}`;
}

// ── Captured values ──────────────────────────────────────────────────────────────────────────

function findHeader(headers, wanted) {
  const name = Object.keys(headers).find((key) => key.toLowerCase() === wanted.toLowerCase());
  return headers[name];
}

function findInBody(body, path) {
  if (path.length === 0) {
    return body;
  }
  const isInside = (value, key) => typeof value === 'object' && value && Object.hasOwn(value, key);
  return path.reduce(
    (value, key) => (isInside(value, key) ? value[key] : undefined),
    JSON.parse(body),
  );
}

// Returns the captured value as text, or null if the response does not contain it.
function findValue({ headers, body }, { part, path }) {
  let value;
  try {
    value = part === 'headers' ? findHeader(headers, path[0]) : findInBody(body, path);
  } catch (error) {
    return null; // the body is not JSON
  }
  if (value === undefined || value === null) {
    return null;
  }
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function showCapture({ part, path }) {
  return part === 'headers' ? `the header ${path[0]}` : `${['$', ...path].join('.')} in the body`;
}

// Sends the requests before the load, and returns the values by their references.
function captureValues({ name: fileName, before }) {
  const values = {};
  before.forEach((request) => {
    const { line, name, shown, captures } = request;
    const what = `${fileName}:${line}: request ${name === shown ? name : `${name} (${shown})`}`;
    const response = sendOnce(request, values);
    if (!isExpected(request, response)) {
      const expected = `${showStatuses(request)} before the load`;
      throw new Error(`${what} should get ${expected}, but got ${showResponse(response)}`);
    }
    Object.entries(captures).forEach(([reference, capture]) => {
      const value = findValue(response, capture);
      if (value === null) {
        const missing = `{{${reference}}} cannot be captured: ${showCapture(capture)} is missing`;
        throw new Error(`${what}: ${missing}. The response has ${showResponse(response)}`);
      }
      values[reference] = value;
    });
  });
  return values;
}

// ── The load ─────────────────────────────────────────────────────────────────────────────────

// Returns the kind of request for defineLoad().
function toKind(request, share, values) {
  const { line, shown, method, path, headers, body, drawn, status } = request;
  const kind = { method, share, expect: { status } };
  const captured = pickCaptured(request, values);
  if (Object.keys(drawn).length > 0) {
    return { ...kind, path, headers, body, draw: makeDraw(drawn, captured) };
  }
  const filled = fill(request, captured);
  const found = FIXED.exec([filled.path, filled.body, ...Object.values(filled.headers)].join(' '));
  if (found !== null) {
    throw new Error(`${shown} (line ${line}): a captured value has the reserved text ${found[0]}`);
  }
  return { ...kind, ...filled };
}

export function defineFileLoad(file) {
  const sum = file.load.reduce((weights, { weight }) => weights + weight, 0);
  const { options, run } = defineLoad({
    requests: (values) =>
      file.load.map((request) => toKind(request, request.weight / sum, values || {})),
  });
  return { options, setup: () => captureValues(file), run };
}

// ── The checks ───────────────────────────────────────────────────────────────────────────────

function expectStatuses(file) {
  let values;
  try {
    values = captureValues(file);
  } catch (error) {
    expect('the requests before the load get the values to capture', {
      expected: 'each value',
      got: error.message,
    });
    return;
  }
  file.load.forEach((request) => {
    const response = sendOnce(request, values);
    const isRight = isExpected(request, response);
    expect(`${request.shown} (line ${request.line})`, {
      expected: showStatuses(request),
      got: isRight ? `status ${response.status}` : showResponse(response),
      passed: isRight,
    });
  });
}

export function verifyFile(file) {
  return conformance(() => {
    randomSeed(seed);
    expectStatuses(file);
  });
}

// ── Responses to compare ─────────────────────────────────────────────────────────────────────

function emitResponse({ shown, line }, { status, headers, body }) {
  const text = body || '';
  const lowered = Object.entries(headers || {}).map(([name, value]) => [name.toLowerCase(), value]);
  tacho.emit({
    type: 'response',
    request: `${shown} (line ${line})`,
    status,
    headers: Object.fromEntries(lowered),
    body: text.slice(0, BODY_CHARACTERS),
    digest: crypto.sha256(text, 'hex'),
  });
}

export function readResponses(file) {
  return () => {
    randomSeed(seed);
    const values = captureValues(file);
    const endMs = Date.now() + READING_MS;
    let count = 0;
    do {
      file.load.forEach((request) => emitResponse(request, sendOnce(request, values)));
      count += file.load.length;
    } while (count < MOST_RESPONSES && Date.now() < endMs);
  };
}
