import { arrive, loadOptions, pause } from './lib/profiles.js';
import { request } from './lib/request.js';
import { drawRequest, explainWrong, recordsOf } from './requests.js';

const EXPECTED_MS = 50;
const COUNTRY = 'Finland';

export const options = loadOptions({ expectedMs: EXPECTED_MS });

const records = recordsOf(JSON.parse(open(`${__ENV.TACHO_DATA}/universities.json`)), COUNTRY);

export default function run() {
  arrive({ expectedMs: EXPECTED_MS });
  const { path, headers, nonce } = drawRequest(COUNTRY);
  const isRight = (response) => explainWrong(nonce, records, response) === null;
  request(path, { headers, isRight });
  pause();
}
