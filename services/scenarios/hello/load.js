import { plainGet } from './lib/request.js';

export const { options, run } = plainGet('/hello', { body: 'Hello World!' });

export default run;
