import { type ShownVerdict, Verdicts } from '@/components/VerdictBadge';
import classes from './SharedNotes.module.css';

interface SharedNotesProps {
  /** Whether some results are excluded, whose warnings do not count. */
  hasExcluded: boolean;
  warnings: readonly ShownVerdict[];
  /** Sentences about roles that share CPUs. */
  sharing: readonly string[];
}

/** Shows once what holds for all results: their common warnings, and shared CPUs. */
export function SharedNotes({ hasExcluded, warnings, sharing }: SharedNotesProps) {
  if (warnings.length === 0 && sharing.length === 0) return null;
  return (
    <div className={classes.notes}>
      {warnings.length > 0 && (
        <span className={classes.warnings}>
          {hasExcluded ? 'All results that are not excluded' : 'All results'}:{' '}
          <Verdicts verdicts={warnings} />
        </span>
      )}
      {sharing.length > 0 && <span>{sharing.join(' ')}</span>}
    </div>
  );
}
