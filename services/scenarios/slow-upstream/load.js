import { parameters } from './lib/profiles.js';
import { plainGet } from './lib/request.js';

export const { options, run } = plainGet('/', {
  body: /^[0-9]+$/,
  expectedMs: parameters.delay_ms,
});

export default run;
