import { defineLoad } from './lib/load.js';
import { hello, unknownPath } from './requests.js';

export const { options, run } = defineLoad({ requests: [hello, unknownPath] });

export default run;
