import { controlShare } from './lib/controls.js';
import { arrive, loadOptions, parameters, pause } from './lib/profiles.js';
import { drawNonce, isControlDue, request } from './lib/request.js';
import {
  EXPECTED_MS,
  WRONG_MESSAGES,
  asRequest,
  expectation,
  explainWrong,
  startText,
} from './requests.js';
import { someNumber, someText } from './steps.js';

export const options = loadOptions({ expectedMs: EXPECTED_MS });

const CONTROL_SHARE = controlShare(EXPECTED_MS);
const expectRefusal = { status: [400, 499] };
const text = someText(parameters.text_characters);

function someMessage() {
  return { number: someNumber(), text: startText(drawNonce(), text) };
}

function sendRefused() {
  const { makeBody } = WRONG_MESSAGES[Math.floor(Math.random() * WRONG_MESSAGES.length)];
  const message = someMessage();
  const body = makeBody(message.text);
  request({ ...asRequest(message), body, isControl: true, expect: expectRefusal });
}

function sendAccepted() {
  const message = someMessage();
  request({
    ...asRequest(message),
    expect: expectation,
    compare: (response) => explainWrong(message, response),
  });
}

export default function run() {
  arrive({ expectedMs: EXPECTED_MS });
  if (isControlDue(CONTROL_SHARE)) {
    sendRefused();
  } else {
    sendAccepted();
  }
  pause();
}
