import { plainGet } from './lib/request.js';

const NAME = '0123456789abcdef';

export const { options, run } = plainGet(`/gateway?name=${NAME}`, {
  body: new RegExp(`^Hello ${NAME}! [0-9]+ [0-9a-f]{16}$`),
});

export default run;
