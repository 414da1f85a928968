import { type VerdictName, VERDICTS } from '@/lib/verdicts';

/** Explains a verdict, and what to do about it. */
export function VerdictMeaning({ verdict }: { verdict: VerdictName }) {
  const { means, advice } = VERDICTS[verdict];
  return (
    <>
      <p>{means}</p>
      <p>{advice}</p>
    </>
  );
}
