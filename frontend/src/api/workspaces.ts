/** Workspaces of the installation, for operators. */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { asDone, client, unwrap } from './client';
import type { WorkspaceIn, WorkspaceOut, WorkspacePatch } from './schema';
import { sessionQueries } from './session';

export type Workspace = WorkspaceOut;

export const workspaceQueries = {
  list: () =>
    queryOptions({
      queryKey: ['workspaces'],
      queryFn: ({ signal }) => unwrap(client.GET('/api/v1/workspaces', { signal })),
      select: (page): Workspace[] => page.items,
    }),
};

export function useCreateWorkspace() {
  return useWorkspaceChange((body: WorkspaceIn) =>
    unwrap(client.POST('/api/v1/workspaces', { body })),
  );
}

export function useChangeWorkspace(slug: string) {
  return useWorkspaceChange((body: WorkspacePatch) =>
    unwrap(client.PATCH('/api/v1/workspaces/{slug}', { ...at(slug), body })),
  );
}

export function useDeleteWorkspace(slug: string) {
  return useWorkspaceChange(() =>
    unwrap(client.DELETE('/api/v1/workspaces/{slug}', at(slug)).then(asDone)),
  );
}

function at(slug: string) {
  return { params: { path: { slug } } };
}

/** The session names the caller's workspaces, so it is refetched too. */
function useWorkspaceChange<Asked, Answered>(ask: (asked: Asked) => Promise<Answered>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ask,
    onSettled: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: ['workspaces'] }),
        queries.invalidateQueries(sessionQueries.current()),
      ]),
  });
}
