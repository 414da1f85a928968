// The kinds of requests that requests.js describes for load.js and verify.js, as single requests.
//
// A kind is { path, method = 'GET', headers = {}, body = null, expect: { status, text, signing } }.
// In `path`, `headers`, `body` and `expect.text`, {nonce} stands for the nonce, {nonce:5} for its first 5
// digits, {nonce:5:escaped} for these digits as JSON escapes (\u0061 for a), and {integer} for the
// integer, and {name} for values.name. In `expect.text`, {stamp} stands for any whole number from
// 1 on, and {signature} for the signature of `signing.text` with `signing.key`.
//
// Exports
//   drawRequest(kind, { nonce = freshNonce(), integer = freshInteger(), values = {} })
//                      { method, path, headers, body, nonce, integer, expect } without templates
//                      in path, headers and body
//   drawRequests(kind, count)
//                      that many requests; about a fifth of them repeat the nonce of another
//   readStamp(request, text)
//                      the stamp of a correct answer (0 if it has none), or null if it is wrong
//   showExpected(request)
//                      the expected text, to be shown
import { freshInteger, freshNonce, signatureOf } from './nonces.js';

const REPEATED_EVERY = 5;
const PLACEHOLDER = /\{([a-zA-Z]+)(?::(\d+))?(:escaped)?\}/g;
const SPECIAL = /[.*+?^${}()|[\]\\]/g;

function escape(text) {
  const codes = Array.from(text, (character) => character.charCodeAt(0).toString(16));
  return codes.map((code) => `\\u${code.padStart(4, '0')}`).join('');
}

function fill(template, given) {
  return template.replace(PLACEHOLDER, (found, name, length, escaped) => {
    if (!(name in given)) {
      return found;
    }
    const text = String(given[name]).slice(0, length === undefined ? undefined : Number(length));
    return escaped ? escape(text) : text;
  });
}

export function drawRequest(
  kind,
  { nonce = freshNonce(), integer = freshInteger(), values = {} } = {},
) {
  const { method = 'GET', path, headers = {}, body = null, expect } = kind;
  const given = { ...values, nonce, integer };
  const filled = Object.entries(headers).map(([name, value]) => [name, fill(value, given)]);
  return {
    method,
    path: fill(path, given),
    headers: Object.fromEntries(filled),
    body: body === null ? null : fill(body, given),
    nonce,
    integer,
    expect,
  };
}

export function drawRequests(kind, count) {
  const requests = [];
  for (let index = 0; index < count; index += 1) {
    const isRepeated = index % REPEATED_EVERY === REPEATED_EVERY - 1;
    const earlier = requests[Math.floor(Math.random() * index)];
    requests.push(drawRequest(kind, isRepeated ? { nonce: earlier.nonce } : {}));
  }
  return requests;
}

export function showExpected({ nonce, integer, expect }) {
  return fill(expect.text, { nonce, integer })
    .replace('{stamp}', '<stamp>')
    .replace('{signature}', '<signature>');
}

function signedText({ nonce, integer, expect }, stamp) {
  return fill(expect.signing.text, { nonce, integer }).replace('{stamp}', stamp);
}

export function readStamp(request, text) {
  const { nonce, integer, expect } = request;
  const names = [];
  const pattern = fill(expect.text, { nonce, integer })
    .replace(/\{(stamp|signature)\}/g, (_, name) => {
      names.push(name);
      return name === 'stamp' ? '\u0001' : '\u0002';
    })
    .replace(SPECIAL, '\\$&')
    .replace('\u0001', '([1-9][0-9]{0,14})')
    .replace('\u0002', '([0-9a-f]{16})');
  const found = new RegExp(`^${pattern}$`).exec(text);
  if (found === null) {
    return null;
  }
  const got = Object.fromEntries(names.map((name, index) => [name, found[index + 1]]));
  const stamp = got.stamp || '0';
  const isSigned =
    !got.signature ||
    got.signature === signatureOf(expect.signing.key, signedText(request, stamp));
  return isSigned ? Number(stamp) : null;
}
