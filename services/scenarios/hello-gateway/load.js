import { plainLoad } from './lib/request.js';
import { greeting } from './requests.js';

export const { options, run } = plainLoad({ requests: [greeting] });

export default run;
