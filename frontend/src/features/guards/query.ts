/** Requests of the pages of guards, which their loaders start too. */
import { api } from '@/api/client';

export function guardedServicesQuery() {
  return api.queryOptions('get', '/api/v1/guards/services');
}

export function openGuardsQuery() {
  return api.queryOptions('get', '/api/v1/guards/requests');
}

export function serviceHistoryQuery(service: string) {
  return api.queryOptions('get', '/api/v1/guards/history', { params: { query: { service } } });
}

export function guardQuery(slug: string) {
  return api.queryOptions('get', '/api/v1/guards/{slug}', { params: { path: { slug } } });
}
