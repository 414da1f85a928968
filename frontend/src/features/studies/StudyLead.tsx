import { Link } from '@tanstack/react-router';
import type { Study } from '@/api/studies';
import { Ago } from '@/components/Ago';
import { formatCount, joinWords, words } from '@/lib/format';
import { countFindings, score } from './beside';
import classes from './StudyLead.module.css';

/** What came of it in a sentence or two, and what may be read from it. */
export function StudyLead({ study }: { study: Study }) {
  const { shown } = study;
  if (shown === null || shown === undefined) {
    return (
      <p className={classes.lead}>
        Not reproduced here yet. Below are its published numbers; a reproduction sets yours beside
        them.
      </p>
    );
  }
  const { ranked, agree, paired, published, doubtful, doubts } = score(
    study.result_tables,
    study.orders,
  );
  const counts = countFindings(study.claim_results);
  const open = counts.inconclusive + counts.not_measured;
  return (
    <>
      <p className={classes.lead}>
        {ranked > 0
          ? `In ${String(agree)} of ${formatCount(ranked, 'load')} whose order can be compared, the subjects stand as published. `
          : published > 0
            ? 'No order can be compared yet. '
            : 'The study prints its results as pictures only, so its claims stand for them. '}
        {`Of ${formatCount(study.claim_results.length, 'claim')} ${String(counts.holds)} hold here, ${String(counts.does_not_hold)} do not, and ${String(open)} are open.`}
      </p>
      <p className={classes.beside}>
        Beside {shown.example ? 'the example run' : 'the'}{' '}
        <Link to="/runs/$run" params={{ run: shown.slug }}>
          {shown.variant} reproduction
        </Link>{' '}
        on {shown.host}, <Ago at={shown.created_at} />,{' '}
        {formatCount(shown.trials_per_cell, 'trial')} a cell
        {published > 0 &&
          `: ${String(paired)} of ${formatCount(published, 'published number')} have one of ours`}
        .{shown.trials_per_cell === 1 && ' One trial has no interval, so it decides no claim.'}
        {doubtful > 0 &&
          ` ${formatCount(doubtful, 'number')} of ours carry a doubt: ${joinWords(doubts.map(words))}.`}{' '}
        Other machines, other years, other versions: read the order and the ratios between
        frameworks, not the distance from the published numbers.
      </p>
    </>
  );
}
