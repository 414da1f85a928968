// The share of control requests, which the service must refuse.
//
// Exports
//   controlShare(expectedMs)   the share of all requests: 1 %, or more if the load has so few
//                              requests that a service would hardly get any
import { parameters } from './profiles.js';

const WANTED_CONTROLS = 60; // some of each kind
const LEAST_SHARE = 0.01;
const GREATEST_SHARE = 0.12;

function expectedRequests(expectedMs) {
  const { kind, users, connections, requests, pause_ms: pauseMs = 0 } = parameters;
  const { warm_up_seconds: warmUpSeconds, duration_seconds: seconds } = parameters;
  const inTime = (length) => ((users || connections) * length * 1000) / (expectedMs + pauseMs);
  switch (kind) {
    case 'rate':
      return parameters.rate_rps * (warmUpSeconds + seconds);
    case 'steps':
      return parameters.first_rps * parameters.steps * parameters.step_seconds;
    case 'count':
      return inTime(warmUpSeconds) + requests;
    default:
      return inTime(warmUpSeconds + seconds);
  }
}

export function controlShare(expectedMs) {
  const share = WANTED_CONTROLS / expectedRequests(expectedMs);
  return Math.min(Math.max(share, LEAST_SHARE), GREATEST_SHARE);
}
