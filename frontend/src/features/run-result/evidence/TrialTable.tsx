import { Button, Modal } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Run, RunCell } from '@/api/runs';
import { type Trial, trialQueries } from '@/api/trials';
import { CodeBlock } from '@/components/CodeBlock';
import { FailureNote, RetriedFailures } from '@/components/FailureNote';
import { MarkedName } from '@/components/Marker';
import { Loaded } from '@/components/States';
import { StatusBadge } from '@/components/StatusBadge';
import { Verdicts } from '@/components/VerdictBadge';
import { formatDuration, joinWords, stripTerminalCodes, words } from '@/lib/format';
import classes from './TrialTable.module.css';

const STAGES = ['building', 'starting', 'verifying', 'warming_up', 'measuring', 'collecting'];

/** Lists every trial in the order it ran, with its stages, its verdicts, and why it failed or was repeated. */
export function TrialTable({ run, cells }: { run: Run; cells: readonly RunCell[] }) {
  const [logsOf, setLogsOf] = useState<Trial | null>(null);
  const rows = [...run.trials]
    .sort((a, b) => a.position - b.position)
    .flatMap((trial) => {
      const cell = cells.find((cell) => cell.id === trial.cell_id);
      return cell ? [{ trial, cell }] : [];
    });
  return (
    <>
      <div className={classes.scroll} tabIndex={0} role="region" aria-label="Trials, scrollable">
        <table className={classes.table}>
          <thead>
            <tr>
              <th scope="col">Framework</th>
              <th scope="col">Trial</th>
              <th scope="col">Status</th>
              {STAGES.map((stage) => (
                <th key={stage} scope="col" className={classes.number}>
                  {words(stage)}
                </th>
              ))}
              <th scope="col">Verdict</th>
              <th scope="col">
                <span className={classes.hidden}>Logs</span>
              </th>
            </tr>
          </thead>
          {rows.map(({ trial, cell }) => (
            <tbody key={trial.id}>
              <tr>
                <th scope="row">
                  <MarkedName {...cell.framework} />
                </th>
                <td>{trial.repetition}</td>
                <td>
                  <StatusBadge status={trial.status} />
                </td>
                {STAGES.map((stage) => (
                  <td key={stage} className={classes.number}>
                    {stageTime(trial.stage_seconds[stage])}
                  </td>
                ))}
                <td>{trial.status === 'succeeded' && <Verdicts verdicts={trial.verdicts} />}</td>
                <td>
                  <Button
                    size="compact-xs"
                    variant="subtle"
                    aria-label={`Logs of ${cell.framework.name}, trial ${trial.repetition}`}
                    onClick={() => {
                      setLogsOf(trial);
                    }}
                  >
                    Logs
                  </Button>
                </td>
              </tr>
              {told(trial).length > 0 && (
                <tr>
                  <td colSpan={STAGES.length + 5} className={classes.warnings}>
                    <ul className={classes.reason}>
                      {told(trial).map(({ verdict, detail }) => (
                        <li key={verdict}>
                          <strong>{words(verdict)}</strong>: {detail}
                        </li>
                      ))}
                    </ul>
                  </td>
                </tr>
              )}
              {trial.retried_failures && trial.retried_failures.length > 0 && (
                <tr>
                  <td colSpan={STAGES.length + 5} className={classes.failure}>
                    <div className={classes.reason}>
                      <RetriedFailures failures={trial.retried_failures} />
                    </div>
                  </td>
                </tr>
              )}
              {trial.failure && (
                <tr>
                  <td colSpan={STAGES.length + 5} className={classes.failure}>
                    <div className={classes.reason}>
                      <FailureNote failure={trial.failure} />
                    </div>
                  </td>
                </tr>
              )}
            </tbody>
          ))}
        </table>
      </div>
      <Modal
        opened={logsOf !== null}
        onClose={() => {
          setLogsOf(null);
        }}
        title="Trial logs"
        size="xl"
      >
        {logsOf && <TrialLogs id={logsOf.id} />}
      </Modal>
    </>
  );
}

/** Return the warnings of a trial that have details. */
function told(trial: Trial) {
  return trial.verdicts.filter((verdict) => verdict.verdict !== 'ok' && verdict.detail !== '');
}

function stageTime(seconds: number | undefined): string {
  return seconds === undefined ? '–' : formatDuration(seconds, true);
}

function TrialLogs({ id }: { id: string }) {
  const query = useQuery(trialQueries.logs(id));
  return (
    <Loaded query={query}>
      {({ items }) => {
        if (items.length === 0) return <p>This trial has no logs.</p>;
        const empty = items.filter((log) => log.content === '').map((log) => log.name);
        return (
          <div className={classes.logs}>
            {items
              .filter((log) => log.content !== '')
              .map((log) => (
                <CodeBlock key={log.name} label={log.name} code={stripTerminalCodes(log.content)} />
              ))}
            {empty.length > 0 && <p>Empty logs: {joinWords(empty)}.</p>}
          </div>
        );
      }}
    </Loaded>
  );
}
