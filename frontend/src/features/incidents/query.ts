/** Requests of the pages of changes, which their loaders start too. */
import { api } from '@/api/client';

export function incidentQuery(id: string) {
  return api.queryOptions('get', '/api/v1/incidents/{incident_id}', {
    params: { path: { incident_id: id } },
  });
}

export function changeQuery(id: string) {
  return api.queryOptions('get', '/api/v1/changes/{change_id}', {
    params: { path: { change_id: id } },
  });
}
