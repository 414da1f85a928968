// The load of a trial, and the k6 options for it.
//
// Exports
//   parameters   object: the cell's resolved parameters and `kind` (rate | users | saturate |
//                steps | count), and `turn` if it shares the machine with another load
//   target       string: base URL of the service, without a trailing slash
//   upstream     string: base URL of the mock upstream, "" where the scenario has none
//   seed         integer: seed of the trial
//   userAgent    string: what every request calls itself
//   loadOptions({ countsFirstBytes })
//                k6 options: one continuous load, which one virtual user sends. Which of its seconds
//                are warm-up and which are measured is decided elsewhere, while it runs: it lasts as
//                long as both may take at most, and is finished before.
//   describeLoad({ expectedMs })
//                object: what sendLoad() of k6/x/tacho needs to know about the load
//
// load.js uses defineLoad() of load.js in this folder instead of the last two.

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
const isSummarised = __ENV.TACHO_K6_SUMMARY === '1';

// An open load needs rate × latency connections. They are there from the beginning for answers up to
// this much later than expected, and come during the load up to what a service that answers at its
// timeout would need.
const SLACK_MS = 100;
const FEWEST_CONNECTIONS = 10;
const MOST_AT_FIRST = 2000;
const MOST_CONNECTIONS = 5000;

function poolFor(ratePerSecond, expectedMs, timeoutMs) {
  const wanted = (latencyMs) => Math.ceil((ratePerSecond * latencyMs) / 1000);
  const clamp = (value, high) => Math.min(Math.max(value, FEWEST_CONNECTIONS), high);
  const connections = clamp(wanted(expectedMs + SLACK_MS), MOST_AT_FIRST);
  const maxConnections = Math.max(connections, clamp(wanted(timeoutMs), MOST_CONNECTIONS));
  return { connections, maxConnections };
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

// Two loads that take turns send in every second second each. `turn` is 0 or 1 then.
const { turn } = parameters;
const turns = turn === undefined ? 1 : 2;

const maxSeconds =
  turns * (parameters.warm_up_seconds + countSecondsAfterWarmUp() + RESERVE_SECONDS);

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

function countConnections() {
  const { kind, users, connections } = parameters;
  switch (kind) {
    case 'users':
      return users;
    case 'saturate':
    case 'count':
      return connections;
    default:
      throw new Error(`unknown profile kind '${kind}': rate, users, saturate, steps or count`);
  }
}

// A threshold that names a sub-metric makes k6 keep its own figures of the whole load; they are
// compared with ours. Off by default: k6 then keeps every single latency.
function ownCounting() {
  return { 'http_req_duration{expected_response:true,control:no}': ['max>=0'] };
}

// The connections of a closed load begin at different times: all at once, they would stay in step and
// send in bursts.
function arriveMs(expectedMs) {
  const { pause_ms: pauseMs = 0, warm_up_seconds: warmUpSeconds } = parameters;
  return Math.min(expectedMs + pauseMs, 1000 * warmUpSeconds);
}

// A load of a count ends with its last request, so its measured seconds must begin at a known time.
function countOfRequests() {
  const { kind, requests, warm_up_seconds: fromSecond } = parameters;
  return kind === 'count' ? { count: { requests, fromSecond } } : {};
}

export function describeLoad({ expectedMs }) {
  const { timeout_ms: timeoutMs, pause_ms: pauseMs = 0 } = parameters;
  const plan = planRates();
  if (plan !== null) {
    const pool = poolFor(highestRate(plan), expectedMs, timeoutMs);
    return { plan, turn, poisson: parameters.arrivals === POISSON, seed, ...pool, timeoutMs };
  }
  const connections = countConnections();
  return {
    plan: [],
    connections,
    maxConnections: connections,
    timeoutMs,
    pauseMs,
    arriveMs: arriveMs(expectedMs),
    ...countOfRequests(),
  };
}

export function loadOptions({ countsFirstBytes }) {
  return {
    scenarios: {
      load: {
        // One virtual user per load generator, whose only iteration lasts as long as the load. k6
        // divides virtual users among the load generators.
        executor: 'per-vu-iterations',
        vus: Number(__ENV.TACHO_LOAD_GENERATORS || 1),
        iterations: 1,
        maxDuration: `${maxSeconds}s`,
        gracefulStop: `${parameters.timeout_ms + 1000}ms`,
      },
    },
    ext: { tacho: { seconds: maxSeconds, countsFirstBytes } },
    ...(isSummarised ? { thresholds: ownCounting() } : {}),
  };
}
