// The request of the scenario, for load.js and verify.js.
//
// Exports
//   GAP_MS               the time before each car
//   BUNCHED_FROM_MS      the shortest delay_ms with which streams are checked for bunching
//   cars                 the ordinary request
//   explainWrong(first, lines)
//                        null if the lines of a response are the cars from that id on, else
//                        { expected, got }
//   isBunched(timesMs, gapMs)
//                        whether cars that arrived at these times arrived in bunches
import { CAR_COUNT, expectedCars, isCar } from './cars.js';
import { parameters } from './lib/profiles.js';

export const GAP_MS = parameters.delay_ms / CAR_COUNT;
export const BUNCHED_FROM_MS = 50;

export const cars = {
  path: `/cars?first={integer}&delay_ms=${parameters.delay_ms}`,
  headers: { Accept: 'application/stream+json' },
  expect: {
    status: 200,
    type: 'application/stream+json',
    stream: { items: CAR_COUNT, gapMs: GAP_MS },
  },
};

function isLineRight(line, id) {
  try {
    return isCar(JSON.parse(line), id);
  } catch (error) {
    return false;
  }
}

export function explainWrong(first, lines) {
  const right = expectedCars(first);
  const index = right.findIndex(({ id }, position) => !isLineRight(lines[position], id));
  if (index === -1 && lines.length === right.length) {
    return null;
  }
  const shown = index === -1 ? right.length : index;
  return {
    expected: `${CAR_COUNT} lines, line ${shown}: ${JSON.stringify(right[shown])}`,
    got: `${lines.length} lines, line ${shown}: ${lines[shown]}`,
  };
}

// A correct stream has this many gaps that last at least a quarter of the wait.
const LEAST_GAPS = 7;

export function isBunched(timesMs, gapMs) {
  const gaps = timesMs.slice(1).map((time, index) => time - timesMs[index]);
  return gaps.filter((gap) => gap >= gapMs / 4).length < LEAST_GAPS;
}
