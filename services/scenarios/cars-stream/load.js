import { parameters } from './lib/profiles.js';
import { defineLoad } from './lib/load.js';
import { cars, explainWrong } from './requests.js';

export const { options, run } = defineLoad({
  requests: [cars],
  expectedMs: parameters.delay_ms,
  countsFirstBytes: true,
  compare: ({ request, response }) =>
    explainWrong(Number(request.integer), response.body.split('\n').slice(0, -1)),
});

export default run;
