// Nonces and signatures, as services/CONTRACT.md defines them.
//
// Exports
//   freshNonce()         16 random lower-case hexadecimal digits, which no request used before
//   freshInteger()       a random integer from 0 to 2^30 - 1
//   signatureOf(key, text)
//                        the first 16 hexadecimal digits of HMAC-SHA256
import crypto from 'k6/crypto';

const NONCE_BYTES = 8;
const SIGNATURE_DIGITS = 16;

export function freshNonce() {
  const bytes = new Uint8Array(crypto.randomBytes(NONCE_BYTES));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

export function freshInteger() {
  const [integer] = new Uint32Array(crypto.randomBytes(4));
  return integer >>> 2;
}

export function signatureOf(key, text) {
  return crypto.hmac('sha256', key, text, 'hex').slice(0, SIGNATURE_DIGITS);
}
