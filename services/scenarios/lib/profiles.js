// The load of a trial, and the k6 options for it.
//
// Exports
//   parameters   object: the cell's resolved parameters and `kind` (rate | users | saturate |
//                steps | count)
//   target       string: base URL of the service, without a trailing slash
//   upstream     string: base URL of the mock upstream, "" where the scenario has none
//   seed         integer: seed of the trial
//   userAgent    string: what every request calls itself
//   isSummarised   boolean: whether k6 counts the requests too
//   loadOptions({ expectedMs = 0, isSentFromGo = false, countsFirstBytes = false })
//                k6 options: one scenario of one continuous load. Which of its seconds are
//                warm-up and which are measured is decided elsewhere, while it runs: it lasts
//                as long as both may take at most, and is finished before.
//                expectedMs: how long a right answer takes by the scenario's nature, such as
//                the delay of its upstream; it sizes the pool of virtual users.
//                isSentFromGo: the exported function runs once, and calls sendLoad().
//                countsFirstBytes: the time to the first byte of responses is recorded as well.
//   sentFromGo({ expectedMs = 0 })
//                object: what sendLoad() of k6/x/tacho needs to know about the load
//   arrive({ expectedMs = 0 })
//                lets virtual users begin at times of their own: all at once they would stay
//                in step, and send in bursts. Call it before the first request; it returns at
//                once from the second iteration on, and where no warm-up gives time for it.
//   pause()      the think time of a virtual user (`pause_ms`); returns at once without one
//
// A load.js whose requests need logic of their own (other scenarios use plainLoad of request.js):
//   import { arrive, loadOptions, parameters, pause } from './lib/profiles.js';
//   import { drawNonce, request } from './lib/request.js';
//   export const options = loadOptions({ expectedMs: parameters.delay_ms });
//   export default function () {
//     arrive({ expectedMs: parameters.delay_ms });
//     const nonce = drawNonce();
//     const { body: id } = request({ method: 'POST', path: `/items?nonce=${nonce}`, body: '{}' });
//     request({ path: `/items/${id}?nonce=${nonce}`, nonce, expect: { text: '{nonce}' } });
//     pause();
//   }
import { sleep } from 'k6';
import exec from 'k6/execution';

function readParameters() {
  if (!__ENV.TACHO_PARAMETERS) {
    throw new Error('TACHO_PARAMETERS is not set: this script is run by Tacho');
  }
  return Object.freeze(JSON.parse(__ENV.TACHO_PARAMETERS));
}

function requireTarget() {
  if (!__ENV.TACHO_TARGET) {
    throw new Error('TACHO_TARGET is not set: the base URL of the service');
  }
  return __ENV.TACHO_TARGET.replace(/\/+$/, '');
}

export const parameters = readParameters();
export const target = requireTarget();
export const upstream = (__ENV.TACHO_UPSTREAM || '').replace(/\/+$/, '');
export const userAgent = 'tacho';
export const seed = Number(__ENV.TACHO_SEED || 0);
export const isSummarised = __ENV.TACHO_K6_SUMMARY === '1';

// An open load needs rate × latency virtual users, or connections. They are there from the
// beginning for answers up to this much later than expected, and come during the test (k6
// adds virtual users one at a time, and drops iterations meanwhile) up to what a service that
// answers at its timeout would need.
const SLACK_MS = 100;
const MIN_VUS = 10;
const MAX_PREALLOCATED_VUS = 2000;
const MAX_VUS = 5000;

function poolFor(ratePerSecond, expectedMs, timeoutMs) {
  const wanted = (latencyMs) => Math.ceil((ratePerSecond * latencyMs) / 1000);
  const clamp = (value, high) => Math.min(Math.max(value, MIN_VUS), high);
  const preAllocatedVUs = clamp(wanted(expectedMs + SLACK_MS), MAX_PREALLOCATED_VUS);
  const maxVUs = Math.max(preAllocatedVUs, clamp(wanted(timeoutMs), MAX_VUS));
  return { preAllocatedVUs, maxVUs };
}

// The measured seconds may begin one later than the warm-up may last, and the load goes on
// while the word to finish is under way.
const RESERVE_SECONDS = 3;

// In a pause after a step nothing is sent, so that its backlog is not that of the next step.
const drainSeconds = parameters.drain_seconds || 0;

function countSecondsAfterWarmUp() {
  const { kind, duration_seconds: seconds, steps, step_seconds: stepSeconds } = parameters;
  return kind === 'steps' ? steps * (stepSeconds + drainSeconds) - drainSeconds : seconds;
}

const maxSeconds = parameters.warm_up_seconds + countSecondsAfterWarmUp() + RESERVE_SECONDS;
const duration = `${maxSeconds}s`;

// Returns the plan of an open load: consecutive steps of a constant rate, which is 0 in a pause. null
// for a closed load.
function planRates() {
  const { kind, warm_up_seconds: warmUpSeconds } = parameters;
  if (kind === 'rate') {
    return [{ ratePerSecond: parameters.rate_rps, seconds: maxSeconds }];
  }
  if (kind !== 'steps') {
    return null;
  }
  const { first_rps: first, step_rps: more, steps, step_seconds: seconds } = parameters;
  const pause = drainSeconds > 0 ? [{ ratePerSecond: 0, seconds: drainSeconds }] : [];
  const plan = Array.from({ length: steps }, (_, step) => [
    ...(step > 0 ? pause : []),
    { ratePerSecond: first + step * more, seconds },
  ]).flat();
  plan[0].seconds += warmUpSeconds;
  plan[plan.length - 1].seconds += RESERVE_SECONDS;
  return plan;
}

// The value of the parameter `arrivals`. Without it, requests are evenly spaced.
const POISSON = 1;

function highestRate(plan) {
  return plan[plan.length - 1].ratePerSecond;
}

function executor(expectedMs) {
  const plan = planRates();
  switch (parameters.kind) {
    case 'rate':
      return {
        executor: 'constant-arrival-rate',
        rate: parameters.rate_rps,
        timeUnit: '1s',
        duration,
        ...poolFor(parameters.rate_rps, expectedMs, parameters.timeout_ms),
      };
    case 'steps':
      return {
        executor: 'ramping-arrival-rate',
        startRate: plan[0].ratePerSecond,
        timeUnit: '1s',
        stages: plan.flatMap(({ ratePerSecond, seconds }) => [
          { target: ratePerSecond, duration: '0s' },
          { target: ratePerSecond, duration: `${seconds}s` },
        ]),
        ...poolFor(highestRate(plan), expectedMs, parameters.timeout_ms),
      };
    case 'users':
      return { executor: 'constant-vus', vus: parameters.users, duration };
    case 'saturate':
    case 'count':
      return { executor: 'constant-vus', vus: parameters.connections, duration };
    default:
      throw new Error(`unknown profile kind '${parameters.kind}': rate, users, saturate, steps or count`);
  }
}

// A threshold that names a sub-metric makes k6 keep its own figures of the whole load; they are
// compared with ours. Off by default: k6 then keeps every single latency.
function ownCounting() {
  return { 'http_req_duration{expected_response:true,control:no}': ['max>=0'] };
}

// Within this time the virtual users of a closed load begin.
function arriveSeconds(expectedMs) {
  const { pause_ms: pauseMs = 0, warm_up_seconds: warmUpSeconds } = parameters;
  return planRates() === null ? Math.min((expectedMs + pauseMs) / 1000, warmUpSeconds) : 0;
}

// One virtual user per load generator whose only iteration waits while Go sends. k6 divides virtual
// users among the load generators.
const waitingExecutor = {
  executor: 'per-vu-iterations',
  vus: Number(__ENV.TACHO_LOAD_GENERATORS || 1),
  iterations: 1,
  maxDuration: duration,
};

export function sentFromGo({ expectedMs = 0 } = {}) {
  const { timeout_ms: timeoutMs, pause_ms: pauseMs = 0 } = parameters;
  const plan = planRates();
  if (plan !== null) {
    const { preAllocatedVUs, maxVUs } = poolFor(highestRate(plan), expectedMs, timeoutMs);
    const poisson = parameters.arrivals === POISSON;
    return { plan, poisson, seed, connections: preAllocatedVUs, maxConnections: maxVUs, timeoutMs };
  }
  const { vus } = executor(expectedMs);
  const arriveMs = 1000 * arriveSeconds(expectedMs);
  return { plan: [], connections: vus, maxConnections: vus, timeoutMs, pauseMs, arriveMs };
}

// A load of a count ends with its last request, so its measured seconds must begin at a known time.
function countOfRequests() {
  const { kind, requests, warm_up_seconds: warmUpSeconds } = parameters;
  return kind === 'count' ? { countedRequests: requests, countedFromSecond: warmUpSeconds } : {};
}

export function loadOptions({
  expectedMs = 0,
  isSentFromGo = false,
  countsFirstBytes = false,
} = {}) {
  // The iterations that k6 begins at a constant rate have a due time.
  const isTimedByK6 = parameters.kind === 'rate' && !isSentFromGo;
  if (parameters.arrivals === POISSON && !isSentFromGo) {
    throw new Error('k6 sends this scenario at even distances only: arrivals must be uniform');
  }
  const arrivals = isTimedByK6 ? { ratePerSecond: parameters.rate_rps } : {};
  if (parameters.kind === 'count' && isSentFromGo) {
    throw new Error('a load of a count is sent by k6 only: build it with request()');
  }
  return {
    scenarios: {
      load: {
        ...(isSentFromGo ? waitingExecutor : executor(expectedMs)),
        gracefulStop: `${parameters.timeout_ms + 1000}ms`,
      },
    },
    ext: {
      tacho: {
        seconds: maxSeconds,
        timeoutMs: parameters.timeout_ms,
        ...arrivals,
        ...countOfRequests(),
        countsFirstBytes,
      },
    },
    // Every system tag costs time at every request; the output needs these.
    systemTags: ['status', 'error_code', 'expected_response'],
    discardResponseBodies: true,
    noCookiesReset: true,
    maxRedirects: 0,
    userAgent,
    ...(isSummarised ? { thresholds: ownCounting() } : {}),
  };
}

export function arrive({ expectedMs = 0 } = {}) {
  const withinSeconds = arriveSeconds(expectedMs);
  if (withinSeconds > 0 && exec.vu.iterationInScenario === 0) {
    sleep(Math.random() * withinSeconds);
  }
}

export function pause() {
  if (parameters.pause_ms > 0) {
    sleep(parameters.pause_ms / 1000);
  }
}
