import { useNavigate } from '@tanstack/react-router';
import { api, LEAVES } from './client';
import type { RunIn } from './schema';

/** Return what starts a run and then opens its page. */
export function useStartRun() {
  const { mutate, isPending, error } = api.useMutation('post', '/api/v1/runs', LEAVES);
  const navigate = useNavigate();
  const start = (body: RunIn) =>
    mutate(
      { body, headers: { 'Idempotency-Key': crypto.randomUUID() } },
      { onSuccess: (run) => void navigate({ to: '/r/$run', params: { run: run.slug } }) },
    );
  return { start, isPending, error };
}
