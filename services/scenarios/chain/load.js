import { controlShare } from './lib/controls.js';
import { defineLoad } from './lib/load.js';
import { parameters } from './lib/profiles.js';
import { EXPECTED_MS, WRONG_MESSAGES, explainWrong, post, startText } from './requests.js';
import { someNumber, someText } from './steps.js';

const NONCE_DIGITS = 16;

const text = someText(parameters.text_characters);
const digits = Math.min(text.length, NONCE_DIGITS);

const message = {
  ...post,
  body: `{"number":{number},"text":"{nonce:${digits}}${text.slice(digits)}"}`,
  expect: { status: 200, type: 'application/json' },
  draw: () => ({ number: someNumber() }),
};

const wrongMessages = WRONG_MESSAGES.map(({ makeBody }) => ({
  ...post,
  share: controlShare(EXPECTED_MS) / WRONG_MESSAGES.length,
  isControl: true,
  body: '{message}',
  expect: { status: [400, 499] },
  draw: (nonce) => ({ message: makeBody(startText(nonce, text)) }),
}));

export const { options, run } = defineLoad({
  requests: [message, ...wrongMessages],
  expectedMs: EXPECTED_MS,
  sampleShare: 1,
  compare: ({ request: { nonce, values }, response }) =>
    explainWrong({ number: values.number, text: startText(nonce, text) }, response),
});

export default run;
