import { signatureOf } from './lib/nonces.js';
import { parameters } from './lib/profiles.js';
import { plainGet } from './lib/request.js';
import { call } from './requests.js';

const NONCE = '0123456789abcdef';

export const { options, run } = plainGet(`/?nonce=${NONCE}`, {
  body: signatureOf(call.expect.signing.key, NONCE),
  expectedMs: parameters.delay_ms,
});

export default run;
