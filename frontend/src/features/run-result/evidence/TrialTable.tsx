import { Button, Stack } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { api } from '@/api/client';
import type { CellOut, RunOut, TrialOut } from '@/api/schema';
import { CodeBlock } from '@/components/CodeBlock';
import type { Column } from '@/components/data-table/column';
import { DataTable } from '@/components/data-table/DataTable';
import { Dialog } from '@/components/Dialog';
import { FailureNote, RetriedFailures } from '@/components/FailureNote';
import { MarkedName } from '@/components/Marker';
import { Loaded } from '@/components/States';
import { StatusBadge } from '@/components/StatusBadge';
import { Verdicts } from '@/components/VerdictBadge';
import { formatDuration, joinWords, stripTerminalCodes, words } from '@/lib/format';
import { isExportedFile } from '@/lib/installation';
import classes from './TrialTable.module.css';

const STAGES = ['building', 'starting', 'verifying', 'warming_up', 'measuring', 'collecting'];

interface TrialRow {
  trial: TrialOut;
  cell: CellOut;
}

/** Lists every trial in the order it ran, with its stages, its verdicts, and why it failed or was repeated. */
export function TrialTable({ run, cells }: { run: RunOut; cells: readonly CellOut[] }) {
  const [logsOf, setLogsOf] = useState<TrialOut | null>(null);
  const rows = [...run.trials]
    .sort((a, b) => a.position - b.position)
    .flatMap((trial) => {
      const cell = cells.find((cell) => cell.id === trial.cell_id);
      return cell ? [{ trial, cell }] : [];
    });
  return (
    <>
      <DataTable
        label="Trials"
        hasFixedColumn
        rows={rows}
        rowKey={({ trial }) => trial.id}
        columns={[
          {
            header: 'Framework',
            isRowHeader: true,
            sortBy: ({ cell }) => cell.framework.name,
            cell: ({ cell }) => <MarkedName {...cell.framework} />,
          },
          { header: 'Trial', isNumeric: true, cell: ({ trial }) => trial.repetition },
          {
            header: 'Status',
            sortBy: ({ trial }) => trial.status,
            cell: ({ trial }) => <StatusBadge status={trial.status} />,
          },
          ...STAGES.map((stage): Column<TrialRow> => ({
            id: stage,
            header: words(stage),
            isNumeric: true,
            sortBy: ({ trial }) => trial.stage_seconds[stage],
            cell: ({ trial }) => stageTime(trial.stage_seconds[stage]),
          })),
          {
            header: 'Verdict',
            cell: ({ trial }) =>
              trial.status === 'succeeded' && <Verdicts verdicts={trial.verdicts} />,
          },
          {
            header: null,
            label: 'Logs',
            cell: ({ trial, cell }) =>
              !isExportedFile() && (
                <Button
                  size="compact-xs"
                  variant="subtle"
                  aria-label={`Logs of ${cell.framework.name}, trial ${trial.repetition}`}
                  onClick={() => setLogsOf(trial)}
                >
                  Logs
                </Button>
              ),
          },
        ]}
        details={({ trial }) => describeProblems(trial)}
      />
      <Dialog opened={logsOf !== null} onClose={() => setLogsOf(null)} title="Trial logs" size="xl">
        {logsOf &&
          (run.removal?.logs_at == null ? (
            <TrialLogs id={logsOf.id} />
          ) : (
            <p>{run.removal.logs_note}</p>
          ))}
      </Dialog>
    </>
  );
}

/** Return the warnings, the repeated attempts and the failure of a trial; empty if there are none. */
function describeProblems(trial: TrialOut): ReactNode[] {
  const warnings = trial.verdicts.filter(
    (verdict) => verdict.verdict !== 'ok' && verdict.detail !== '',
  );
  const { retried_failures: retried, failure } = trial;
  return [
    warnings.length > 0 && (
      <ul className={classes.warnings}>
        {warnings.map(({ verdict, detail }) => (
          <li key={verdict}>
            <strong>{words(verdict)}</strong>: {detail}
          </li>
        ))}
      </ul>
    ),
    retried && retried.length > 0 && <RetriedFailures failures={retried} />,
    failure && <FailureNote failure={failure} />,
  ].filter(Boolean);
}

function stageTime(seconds: number | undefined): string {
  return seconds === undefined ? '–' : formatDuration(seconds, true);
}

function TrialLogs({ id }: { id: string }) {
  const query = api.useQuery('get', '/api/v1/trials/{trial_id}/logs', {
    params: { path: { trial_id: id } },
  });
  return (
    <Loaded query={query}>
      {({ items }) => {
        if (items.length === 0) return <p>This trial has no logs.</p>;
        const empty = items.filter((log) => log.content === '').map((log) => log.name);
        return (
          <Stack gap="sm">
            {items
              .filter((log) => log.content !== '')
              .map((log) => (
                <CodeBlock key={log.name} label={log.name} code={stripTerminalCodes(log.content)} />
              ))}
            {empty.length > 0 && <p>Empty logs: {joinWords(empty)}.</p>}
          </Stack>
        );
      }}
    </Loaded>
  );
}
