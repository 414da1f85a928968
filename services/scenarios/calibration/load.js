import { parameters } from './lib/profiles.js';
import { plainGet } from './lib/request.js';

const slowestMedianUs = Math.max(
  parameters.median_us,
  parameters.second_percent > 0 ? parameters.second_median_us : 0,
);

export const { options, run } = plainGet('/calibration', {
  body: /^[0-9]+$/,
  expectedMs: slowestMedianUs / 1000,
});

export default run;
