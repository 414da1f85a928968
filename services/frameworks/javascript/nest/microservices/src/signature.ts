import { createHmac } from 'node:crypto';

const SIGNATURE_DIGITS = 16;

// Returns the first 16 hexadecimal digits of the text's HMAC-SHA256.
export function sign(text: string): string {
  const code = createHmac('sha256', process.env.SIGNING_KEY!).update(text).digest('hex');
  return code.slice(0, SIGNATURE_DIGITS);
}
