import { useNavigate } from '@tanstack/react-router';
import { api, LEAVES } from '@/api/client';
import type { AnswerRemedy, RunIn } from '@/api/schema';
import { useMay } from '@/api/session';
import { Refusal } from '@/components/Refusal';

/** Starts the run that would be usable, if the form of New run cannot hold its plan. */
export function StartRemedy({ remedy }: { remedy: AnswerRemedy }) {
  const create = api.useMutation('post', '/api/v1/runs', LEAVES);
  const navigate = useNavigate();
  const mayStart = useMay('run');
  const start = () => {
    create.mutate(
      {
        // The server made the plan, as a body for this request.
        body: remedy.plan as unknown as RunIn,
        headers: { 'Idempotency-Key': crypto.randomUUID() },
      },
      { onSuccess: (run) => void navigate({ to: '/runs/$run', params: { run: run.slug } }) },
    );
  };
  if (!mayStart) return null;
  return (
    <>
      <button type="button" className="answer-button" disabled={create.isPending} onClick={start}>
        {remedy.label}
      </button>
      {create.error && <Refusal error={create.error} />}
    </>
  );
}
