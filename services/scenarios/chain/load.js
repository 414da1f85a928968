import { freshNonce } from './lib/nonces.js';
import { arrive, loadOptions, parameters, pause } from './lib/profiles.js';
import { request } from './lib/request.js';
import { EXPECTED_MS, asRequest, explainWrong, startText } from './requests.js';
import { someNumber, someText } from './steps.js';

export const options = loadOptions({ expectedMs: EXPECTED_MS });

const text = someText(parameters.text_characters);

export default function run() {
  arrive({ expectedMs: EXPECTED_MS });
  const message = { number: someNumber(), text: startText(freshNonce(), text) };
  const { method, path, body, headers } = asRequest(message);
  request(path, {
    method,
    body,
    headers,
    isRight: (response) => explainWrong(message, response) === null,
  });
  pause();
}
