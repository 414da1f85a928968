/** The request of the page of a host, which its loader starts too. */
import { api } from '@/api/client';

export function hostQuery(name: string) {
  return api.queryOptions('get', '/api/v1/hosts/{name}', { params: { path: { name } } });
}
