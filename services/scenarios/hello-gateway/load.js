import { defineLoad } from './lib/load.js';
import { greeting } from './requests.js';

export const { options, run } = defineLoad({ requests: [greeting] });

export default run;
