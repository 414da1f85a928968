import { plainLoad } from './lib/request.js';
import { hello, unknownPath } from './requests.js';

export const { options, run } = plainLoad({ requests: [hello, unknownPath] });

export default run;
