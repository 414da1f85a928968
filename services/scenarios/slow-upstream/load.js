import { parameters } from './lib/profiles.js';
import { plainLoad } from './lib/request.js';
import { call } from './requests.js';

export const { options, run } = plainLoad({ requests: [call], expectedMs: parameters.delay_ms });

export default run;
