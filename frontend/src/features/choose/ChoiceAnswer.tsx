import { Button } from '@mantine/core';
import type { ChoiceOut, RunIn } from '@/api/schema';
import { useAccess } from '@/api/session';
import { useStartRun } from '@/api/start-run';
import { DenialNote } from '@/components/DenialNote';
import { Refusal } from '@/components/Refusal';
import { formatDuration } from '@/lib/format';
import classes from './Choose.module.css';

/** The recommendation, what speaks against it, what is missing, and the run that measures it. */
export function ChoiceAnswer({ choice }: { choice: ChoiceOut }) {
  const { headline, sentences, against, missing, run } = choice;
  return (
    <section className={classes.answer} aria-label="Answer" data-outcome={choice.outcome}>
      <h2>{headline}.</h2>
      {sentences.length > 0 && <p>{sentences.join(' ')}</p>}
      {against.length > 0 && <Reasons title="What speaks against it" texts={against} />}
      {missing.length > 0 && <Reasons title="What is missing" texts={missing} />}
      {run !== null && <MissingRun run={run} />}
    </section>
  );
}

function MissingRun({ run }: { run: NonNullable<ChoiceOut['run']> }) {
  const { start, isPending, error } = useStartRun();
  const { isAllowed, denial } = useAccess('run');
  return (
    <div className={classes.run}>
      <Button
        disabled={!isAllowed}
        loading={isPending}
        onClick={() => {
          // The server made the plan, as a body for this request.
          start(run.plan as unknown as RunIn);
        }}
      >
        {run.label}
      </Button>
      <span className={classes.time}>at most {formatDuration(run.seconds)}, without builds</span>
      {denial && <DenialNote denial={denial} action="measure it" />}
      {error && <Refusal error={error} />}
    </div>
  );
}

function Reasons({ title, texts }: { title: string; texts: readonly string[] }) {
  return (
    <>
      <h3>{title}</h3>
      <ul>
        {texts.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </>
  );
}
