import { defineLoad } from './lib/load.js';
import { explainWrong, loadRequests } from './requests.js';

export const { options, run } = defineLoad({
  requests: loadRequests,
  compare: ({ request, response }) => explainWrong(request, response.body),
});

export default run;
