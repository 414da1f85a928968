import { plainGet } from './lib/request.js';

export const { options, run } = plainGet('/gateway?name=World', {
  body: `${__ENV.TACHO_GREETING} World!`,
});

export default run;
