import type { AnswerRemedy, RunIn } from '@/api/schema';
import { useMay } from '@/api/session';
import { useStartRun } from '@/api/start-run';
import { Refusal } from '@/components/Refusal';

/** Starts the run that would be usable, if the form of New run cannot hold its plan. */
export function StartRemedy({ remedy }: { remedy: AnswerRemedy }) {
  const { start, isPending, error } = useStartRun();
  if (!useMay('run')) return null;
  return (
    <>
      <button
        type="button"
        className="answer-button"
        disabled={isPending}
        onClick={() => {
          // The server made the plan, as a body for this request.
          start(remedy.plan as unknown as RunIn);
        }}
      >
        {remedy.label}
      </button>
      {error && <Refusal error={error} />}
    </>
  );
}
