import { parameters } from './lib/profiles.js';
import { defineLoad } from './lib/load.js';
import { calibration } from './requests.js';

const slowestMedianUs = Math.max(
  parameters.median_us,
  parameters.second_percent > 0 ? parameters.second_median_us : 0,
);

export const { options, run } = defineLoad({
  requests: [calibration],
  expectedMs: slowestMedianUs / 1000,
});

export default run;
