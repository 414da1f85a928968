import { parameters } from './lib/profiles.js';
import { defineLoad } from './lib/load.js';
import { call } from './requests.js';

export const { options, run } = defineLoad({ requests: [call], expectedMs: parameters.delay_ms });

export default run;
