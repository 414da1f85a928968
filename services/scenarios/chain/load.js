import { arrive, loadOptions, parameters, pause } from './lib/profiles.js';
import { request } from './lib/request.js';
import { isRight, someNumber, someText } from './steps.js';

const EXPECTED_MS = 20;
const PATH = '/chain';
const headers = { 'Content-Type': 'application/json' };

export const options = loadOptions({ expectedMs: EXPECTED_MS });

const text = someText(parameters.text_characters);
const rest = `,"text":"${text}"}`;

export default function run() {
  arrive({ expectedMs: EXPECTED_MS });
  const number = someNumber();
  request(PATH, {
    method: 'POST',
    body: `{"number":${number}${rest}`,
    headers,
    isRight: (response) => response.status === 200 && isRight({ number, text }, response.json()),
  });
  pause();
}
