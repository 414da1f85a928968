import { CAR_COUNT, isCar } from './cars.js';
import { arrive, loadOptions, parameters, pause } from './lib/profiles.js';
import { request } from './lib/request.js';

const PATH = `/cars?delay_ms=${parameters.delay_ms}`;
const headers = { Accept: 'application/stream+json' };

const expectedMs = parameters.delay_ms;

export const options = loadOptions({ expectedMs, countsFirstBytes: true });

function isRight({ status, body }) {
  const lines = body.split('\n');
  return (
    status === 200 &&
    lines.length === CAR_COUNT + 1 &&
    isCar(JSON.parse(lines[0]), 0) &&
    isCar(JSON.parse(lines[CAR_COUNT - 1]), CAR_COUNT - 1)
  );
}

export default function () {
  arrive({ expectedMs });
  request(PATH, { isRight, headers });
  pause();
}
