// JSON Web Tokens (RFC 7519), signed with HS256 or not at all.
//
// Exports
//   sign(secret, { claims = {}, algorithm = 'HS256' })
//                        string; claims are added to `sub` and an `exp` in the year 2100,
//                        algorithm 'none' leaves the signature empty
//   bearer(token)        request headers that carry it
import crypto from 'k6/crypto';
import encoding from 'k6/encoding';

const EXPIRES = 4102444800;

function encode(object) {
  return encoding.b64encode(JSON.stringify(object), 'rawurl');
}

export function sign(secret, { claims = {}, algorithm = 'HS256' } = {}) {
  const payload = { sub: 'tacho', exp: EXPIRES, ...claims };
  const signed = `${encode({ alg: algorithm, typ: 'JWT' })}.${encode(payload)}`;
  const signature =
    algorithm === 'none' ? '' : crypto.hmac('sha256', secret, signed, 'base64rawurl');
  return `${signed}.${signature}`;
}

export function bearer(token) {
  return { Authorization: `Bearer ${token}` };
}
