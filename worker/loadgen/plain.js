// k6 as in its documentation, without any module of Tacho: its own HTTP client, schedule and
// statistics. LOAD is the load as JSON; see worker/loadgen/cross_check.py. Prints one JSON object.
import http from 'k6/http';

const load = JSON.parse(__ENV.LOAD);
const warmUpSeconds = load.warm_up_seconds || 0;
// The filter costs time for each request.
const measured = warmUpSeconds ? 'http_req_duration{scenario:measured}' : 'http_req_duration';

function plan(startSeconds, seconds) {
  return {
    ...(load.rate
      ? { executor: 'constant-arrival-rate', rate: load.rate, preAllocatedVUs: load.vus, maxVUs: 5000 }
      : { executor: 'constant-vus', vus: load.connections }),
    startTime: `${startSeconds}s`,
    duration: `${seconds}s`,
  };
}

export const options = {
  scenarios: {
    ...(warmUpSeconds ? { warm_up: plan(0, warmUpSeconds) } : {}),
    measured: plan(warmUpSeconds, load.seconds),
  },
  ...(load.user_agent ? { userAgent: load.user_agent } : {}),
  ...(warmUpSeconds ? { thresholds: { [measured]: ['max>=0'] } } : {}),
  discardResponseBodies: true,
  summaryTrendStats: ['p(50)', 'p(99)', 'count'],
};

export default function () {
  http.get(load.url);
}

export function handleSummary({ metrics }) {
  const { values } = metrics[measured];
  const { http_req_failed: failed, dropped_iterations: dropped } = metrics;
  return {
    stdout: JSON.stringify({
      seconds: load.seconds,
      requests: values.count,
      failed: failed.values.passes,
      p50_ms: values['p(50)'],
      p99_ms: values['p(99)'],
      dropped: dropped ? dropped.values.count : 0,
    }),
  };
}
