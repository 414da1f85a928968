import { Box, Stack } from '@mantine/core';
import { showJson } from '@/lib/facts';
import { stripTerminalCodes, words } from '@/lib/format';
import classes from './FailureNote.module.css';

type Cause = 'service' | 'load_generator' | 'infrastructure' | 'tacho' | 'user';

/** Cause of a trial's failure, as the API reports it. */
interface ShownFailure {
  title: string;
  detail: string;
  stage: string;
  cause: Cause;
  evidence?: readonly object[];
}

/** The cause in words. */
const CAUSES: Record<Cause, string> = {
  service: 'Cause: the service',
  load_generator: 'Cause: the load generator, not the service',
  infrastructure: 'Cause: the host or its infrastructure, not the service',
  tacho: 'Cause: an error in Tacho, not the service',
  user: 'Cause: the request',
};

interface FailureNoteProps {
  failure: ShownFailure;
  /** Name of the failed attempt, such as `Trial 2`. */
  label?: string;
}

/** Shows why a trial failed: what happened, the stage, the cause and the evidence. */
export function FailureNote({ failure, label }: FailureNoteProps) {
  const evidence = failure.evidence ?? [];
  const [summary = '', ...logLines] = stripTerminalCodes(failure.detail).split('\n');
  return (
    <Stack gap={2}>
      <p className={classes.title}>
        {label && `${label}: `}
        {failure.title}{' '}
        <Box component="span" fw={400}>
          while {words(failure.stage)}
        </Box>
        <span className={classes.cause}>{CAUSES[failure.cause]}</span>
      </p>
      <p className={classes.detail}>{summary}</p>
      {logLines.length > 0 && <pre className={classes.log}>{logLines.join('\n')}</pre>}
      {evidence.length > 0 && (
        <ul className={classes.evidence}>
          {evidence.map((fact, index) => (
            <li key={index}>{showJson(fact)}</li>
          ))}
        </ul>
      )}
    </Stack>
  );
}

/** Lists the failures of earlier attempts of a repeated trial. */
export function RetriedFailures({ failures }: { failures: readonly ShownFailure[] }) {
  return (
    <ul className={classes.retried}>
      {failures.map((failure, index) => (
        <li key={index}>
          <FailureNote failure={failure} label={`Attempt ${index + 1} failed and was repeated`} />
        </li>
      ))}
    </ul>
  );
}
