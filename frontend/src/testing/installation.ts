/** An installation with results: a response for each document that a page requests. */
import type { RequestHandler } from 'msw';
import { respond } from './api';
import { answer } from './documents/answers';
import * as catalogue from './documents/catalogue';
import * as comparisons from './documents/comparisons';
import * as guards from './documents/guards';
import * as home from './documents/home';
import * as hosts from './documents/hosts';
import * as incidents from './documents/incidents';
import * as plans from './documents/plans';
import * as queue from './documents/queue';
import * as results from './documents/results';
import * as runs from './documents/runs';
import * as studies from './documents/studies';
import * as teams from './documents/teams';
import * as trials from './documents/trials';

export const installation: readonly RequestHandler[] = [
  respond('/api/v1/runs', runs.runs),
  respond('/api/v1/runs/{run_id}', runs.run),
  respond('/api/v1/runs/{run_id}/answer', answer),
  respond('/api/v1/runs/{run_id}/ranking', runs.ranking),
  respond('/api/v1/runs/{run_id}/charts', trials.charts),
  respond('/api/v1/queue', queue.queue),
  respond('/api/v1/run-groups/{group}', queue.runGroup),
  respond('/api/v1/cells', trials.cells),
  respond('/api/v1/cells/{cell_id}/latency', trials.latency),
  respond('/api/v1/trials/{trial_id}', trials.trial),
  respond('/api/v1/trials/{trial_id}/logs', trials.logs),
  respond('/api/v1/comparisons', comparisons.comparison),
  respond('/api/v1/comparisons/charts', comparisons.charts),
  respond('/api/v1/leaderboard', results.leaderboard),
  respond('/api/v1/history', results.history),
  respond('/api/v1/history/changes', results.detections),
  respond('/api/v1/history/self-test', results.detectorTests),
  respond('/api/v1/studies', studies.studies),
  respond('/api/v1/studies/{slug}', studies.study),
  respond('/api/v1/examples', studies.examples),
  respond('/api/v1/metrics', catalogue.metrics),
  respond('/api/v1/verdicts', catalogue.verdicts),
  respond('/api/v1/frameworks', catalogue.frameworks),
  respond('/api/v1/frameworks/{slug}', catalogue.framework),
  respond('/api/v1/frameworks/{slug}/results', results.latestResults),
  respond('/api/v1/scenarios', catalogue.scenarios),
  respond('/api/v1/scenarios/{slug}', catalogue.scenario),
  respond('/api/v1/hosts', hosts.hosts),
  respond('/api/v1/hosts/{name}', hosts.host),
  respond('/api/v1/host-keys', { items: [], next: null }),
  respond('/api/v1/hosts/{name}/reservation', { workspaces: null }),
  respond('/api/v1/health', hosts.health),
  respond('/api/v1/installation', hosts.installationState),
  respond('/api/v1/changes/{change_id}', results.change),
  respond('/api/v1/incidents', incidents.incidents),
  respond('/api/v1/incidents/{incident_id}', incidents.incident),
  respond('/api/v1/incident-counts', incidents.incidentCounts),
  respond('/api/v1/open-incidents', { open: 1 }),
  respond('/api/v1/home', home.home),
  respond('/api/v1/schedules', plans.schedules),
  respond('/api/v1/schedules/{schedule_id}', plans.schedule),
  respond('/api/v1/presets', plans.presets),
  respond('/api/v1/webhooks', plans.webhooks),
  respond('/api/v1/slos', plans.slos),
  respond('/api/v1/guards', guards.guards),
  respond('/api/v1/guards/history', guards.noHistory),
  respond('/api/v1/guards/requests', guards.openGuards),
  respond('/api/v1/guards/services', guards.services),
  respond('/api/v1/guards/{slug}', guards.guard),
  respond('/api/v1/members', teams.members),
  respond('/api/v1/invitations', teams.invitations),
  respond('/api/v1/tokens', teams.tokens),
  respond('/api/v1/account/identities', teams.identities),
  respond('/api/v1/account/sessions', teams.browsers),
  respond('/api/v1/limits', teams.limits),
  respond('/api/v1/retention', teams.retention),
  respond('/api/v1/retention/installation', teams.installationRetention),
  respond('/api/v1/audit', teams.audit),
  respond('/api/v1/users', teams.users),
  respond('/api/v1/workspaces', teams.workspaces),
];
