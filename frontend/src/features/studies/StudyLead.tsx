import { Box } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { StudyOut } from '@/api/schema';
import { Ago } from '@/components/Ago';
import { Words } from '@/components/Words';
import { formatCount, joinWords, words } from '@/lib/format';
import { describeFindings, score } from './study-results';
import classes from './StudyLead.module.css';

/** Begins the page of a study with what its reproduction shows, and where the numbers are from. */
export function StudyLead({ study }: { study: StudyOut }) {
  const { shown } = study;
  if (shown === null || shown === undefined) {
    return (
      <p className={classes.lead}>
        Not reproduced here yet. A reproduction adds your numbers to the published ones below.
      </p>
    );
  }
  const [first, ...others] = study.lead;
  const { paired, published, flagged, warnings } = score(study.result_tables);
  return (
    <>
      {first !== undefined && <p className={classes.lead}>{first}</p>}
      {others.map((sentence) => (
        <Box key={sentence} component="p" m="0 0 4px" maw="84ch">
          {sentence}
        </Box>
      ))}
      <Box component="p" m={0} maw="84ch" c="dimmed">
        {describeFindings(study.claim_results)} Compared with{' '}
        {shown.example ? 'the example run' : 'the'}{' '}
        <Link to="/r/$run" params={{ run: shown.slug }}>
          {shown.variant} reproduction
        </Link>{' '}
        on {shown.host}, <Ago at={shown.created_at} />,{' '}
        {formatCount(shown.trials_per_cell, 'trial')} per result
        {published > 0 &&
          `: ${String(paired)} of ${formatCount(published, 'published number')} were measured here`}
        .
        {shown.trials_per_cell < study.deciding_trials &&
          ` Claims stay open: they are decided by at least ${String(study.deciding_trials)} trials.`}
        {flagged > 0 &&
          ` ${formatCount(flagged, 'result')} ${flagged === 1 ? 'has' : 'have'} warnings: ${joinWords(warnings.map(words))}.`}{' '}
        Machines and versions differ, so compare the order and the ratios between frameworks, not
        absolute numbers.
      </Box>
      <Words texts={[...study.lead, 'claims', 'trials']} />
    </>
  );
}
