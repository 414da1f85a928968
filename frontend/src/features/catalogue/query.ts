/** Requests of the pages of the catalogue, which their loaders start too. */
import { api } from '@/api/client';

export function frameworkQuery(slug: string) {
  return api.queryOptions('get', '/api/v1/frameworks/{slug}', { params: { path: { slug } } });
}

export function latestResultsQuery(slug: string) {
  return api.queryOptions('get', '/api/v1/frameworks/{slug}/results', {
    params: { path: { slug } },
  });
}

export function scenarioQuery(slug: string) {
  return api.queryOptions('get', '/api/v1/scenarios/{slug}', { params: { path: { slug } } });
}
