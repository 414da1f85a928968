import { plainLoad } from './lib/request.js';
import { explainWrong, loadRequests } from './requests.js';

export const { options, run } = plainLoad({
  requests: loadRequests,
  compare: ({ request, response }) => explainWrong(request, response.body),
});

export default run;
