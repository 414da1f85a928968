import { arrive, loadOptions, pause } from './lib/profiles.js';
import { request } from './lib/request.js';
import { bearer, sign } from './lib/token.js';

export const options = loadOptions({ expectedMs: 50 });

const COUNTRY = 'Finland';
const headers = bearer(sign(__ENV.TACHO_JWT_SECRET));
const right = JSON.parse(open(`${__ENV.TACHO_DATA}/universities.json`)).filter(
  ({ country }) => country === COUNTRY,
);

function isRight(response) {
  const records = response.json();
  const first = records[0];
  return (
    records.length === right.length &&
    records.every(({ country }) => country === COUNTRY) &&
    first.name === right[0].name &&
    first.domains[0] === right[0].domains[0]
  );
}

export default function run() {
  arrive({ expectedMs: 50 });
  request(`/universities?country=${COUNTRY}`, { headers, isRight });
  pause();
}
