// What the scripts of this folder have in common.
import exec from 'k6/execution';

import { parameters } from './lib/profiles.js';

const RESERVE_SECONDS = 3; // as in lib/profiles.js

export const stockOptions = {
  scenarios: {
    load: {
      executor: 'constant-vus',
      vus: parameters.connections,
      duration: `${parameters.duration_seconds + RESERVE_SECONDS}s`,
    },
  },
  discardResponseBodies: true,
};

export function isRefused({ status }) {
  return status >= 400 && status < 500;
}

// Ends the load if a response is wrong.
export function requireRight(isRight) {
  if (!isRight) {
    exec.test.abort('a response is wrong');
  }
}
