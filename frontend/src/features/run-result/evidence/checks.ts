/** Describes how the responses under load were checked; pure. */
import type { ResponseChecksOut, TrialDetail } from '@/api/schema';
import { formatWhole } from '@/lib/format';

type Counted = Exclude<keyof ResponseChecksOut, 'first_wrong' | 'counts'>;

/** Return the checks of all trials together; null if none of them has any. */
export function sumChecks(trials: readonly TrialDetail[]): ResponseChecksOut | null {
  const all = trials.flatMap((trial) => trial.checks ?? []);
  if (all.length === 0) return null;
  const sum = (name: Counted) => all.reduce((total, checks) => total + checks[name], 0);
  const names = [...new Set(all.flatMap(({ counts }) => counts.map(({ name }) => name)))];
  return {
    sent: sum('sent'),
    answered: sum('answered'),
    resent: sum('resent'),
    compared: sum('compared'),
    wrong: sum('wrong'),
    signed: sum('signed'),
    bunched: sum('bunched'),
    controls: sum('controls'),
    controls_wrong: sum('controls_wrong'),
    first_wrong: all.find((checks) => checks.first_wrong)?.first_wrong ?? null,
    counts: names.map((name) => ({ name, calls: sumCalls(all, name) })),
  };
}

/** Return the calls of all trials; null if the count of any trial could not be read. */
function sumCalls(all: readonly ResponseChecksOut[], name: string): number | null {
  const counts = all.flatMap(({ counts }) => counts).filter((count) => count.name === name);
  return counts.reduce<number | null>(
    (total, { calls }) => (total === null || calls === null ? null : total + calls),
    0,
  );
}

/** Return whether a verdict of a trial is about the checks under load. */
export function hasWrong(trials: readonly TrialDetail[]): boolean {
  return trials.some(({ verdicts }) =>
    verdicts.some(({ verdict }) => verdict === 'wrong_answers' || verdict === 'work_not_done'),
  );
}

/** Return one sentence for each kind of check that was made. */
export function describeChecks(checks: ResponseChecksOut): string[] {
  const { answered, resent, compared, wrong, signed, bunched, controls, controls_wrong } = checks;
  const unrefused = controls_wrong > 0 ? `, ${whole(controls_wrong)} not refused` : ', all refused';
  return [
    answered > 0 && describeCompared(answered, compared),
    wrong > 0 && `Wrong responses: ${whole(wrong)}.`,
    signed > 0 && `Responses with a valid signature: ${whole(signed)}.`,
    bunched > 0 && `Streams whose items arrived together: ${whole(bunched)}.`,
    resent > 0 &&
      `Requests sent again, because the service had closed the connection: ${whole(resent)}.`,
    controls > 0 && `Requests that the service must refuse: ${whole(controls)}${unrefused}.`,
    ...checks.counts.map(
      ({ name, calls }) => `${capitalise(name)}: ${calls === null ? 'not known' : whole(calls)}.`,
    ),
  ].filter((sentence) => sentence !== false);
}

function describeCompared(answered: number, compared: number): string {
  if (compared === answered) return `Every response was checked in full (${whole(answered)}).`;
  const inFull = compared > 0 ? `, ${whole(compared)} of them in full` : '';
  return `Every response was checked (${whole(answered)})${inFull}.`;
}

function whole(count: number): string {
  return formatWhole(String(count), '');
}

function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
