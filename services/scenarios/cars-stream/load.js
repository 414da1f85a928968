import { parameters } from './lib/profiles.js';
import { plainLoad } from './lib/request.js';
import { cars, explainWrong } from './requests.js';

export const { options, run } = plainLoad({
  requests: [cars],
  expectedMs: parameters.delay_ms,
  countsFirstBytes: true,
  compare: ({ request, response }) =>
    explainWrong(Number(request.integer), response.body.split('\n').slice(0, -1)),
});

export default run;
