import { Box, Button, Group } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { api } from '@/api/client';
import type { ChangeRatio as RatioValue, ShiftOut } from '@/api/schema';
import { ROW_TITLE, named } from '@/components/data-table/column';
import { DataTable } from '@/components/data-table/DataTable';
import { Marker } from '@/components/Marker';
import ui from '@/components/ui.module.css';
import { ChangeBadge } from './ChangeBadge';
import { Decide } from './Decide';
import { formatCount } from '@/lib/format';
import { describeLoad } from '@/lib/load';
import { formatRatio, formatRatioInterval } from '@/lib/ratio';
import classes from './ShiftTable.module.css';
import { judge } from './sizes';
import { seriesTitleOf } from './titles';

interface ShiftTableProps {
  /** The largest first. */
  shifts: readonly ShiftOut[];
  /** Id of the change in the chart. */
  shown: string;
  titleOf: (metric: ShiftOut['metric']) => string;
  onShow: (id: string) => void;
}

/** Lists all series of an incident with their sizes, statuses and decisions. */
export function ShiftTable({ shifts, shown, titleOf, onShow }: ShiftTableProps) {
  return (
    <DataTable
      label="Series that shifted"
      rows={shifts}
      rowKey={(shift) => shift.id}
      layout="cards"
      rowProps={(shift) => ({ id: `change-${shift.id}`, 'data-chosen': shift.id === shown })}
      details={(shift) => [<Reason key="reason" shift={shift} />]}
      columns={[
        {
          header: 'Series',
          ...ROW_TITLE,
          cell: (shift) => (
            <div>
              <div className={classes.series}>
                <Marker colour={shift.framework.colour} />
                {seriesTitleOf(shift, titleOf(shift.metric))}
              </div>
              <div className={ui.quiet}>
                {describeLoad(shift)}, {shift.runtime} runtime
              </div>
            </div>
          ),
        },
        {
          ...named('History, new ÷ old'),
          card: 'line',
          cell: (shift) => (
            <Ratio found={shift.history} word={shift.is_worse ? 'worse' : 'better'} />
          ),
        },
        {
          ...named('Confirmation run'),
          card: 'line',
          cell: (shift) =>
            shift.confirmation?.found ? (
              <>
                <Ratio found={shift.confirmation.found} word={judge(shift)} />{' '}
                <span className={ui.quiet}>
                  {formatCount(shift.confirmation.pairs ?? 0, 'pair')}
                </span>
              </>
            ) : (
              <span className={ui.quiet}>{shift.status === 'testing' ? 'under way' : 'none'}</span>
            ),
        },
        { header: 'Status', card: 'foot', cell: (shift) => <ChangeBadge status={shift.status} /> },
        {
          header: '',
          label: 'Actions',
          card: 'end',
          cell: (shift) => (
            <Actions
              shift={shift}
              title={seriesTitleOf(shift, titleOf(shift.metric))}
              isShown={shift.id === shown}
              onShow={onShow}
            />
          ),
        },
      ]}
    />
  );
}

function Ratio({ found, word }: { found: RatioValue; word: string }) {
  return (
    <span className="figures">
      <strong>{formatRatio(found.ratio)}</strong>{' '}
      <span className={ui.quiet}>{formatRatioInterval(found)}</span> {word}
    </span>
  );
}

function Reason({ shift }: { shift: ShiftOut }) {
  return (
    <Box maw="96ch" pb={6} c="dimmed">
      {shift.reason}
      {shift.note !== null && <span className="wraps"> “{shift.note}”</span>}{' '}
      <Link
        to="/history"
        search={{
          framework: [shift.framework.slug],
          scenario: shift.scenario.slug,
          metric: shift.metric,
        }}
      >
        View history
      </Link>
      {' · '}
      <Link to="/r/$run" params={{ run: shift.before.run_slug }}>
        Run before
      </Link>
      {' · '}
      <Link to="/r/$run" params={{ run: shift.after.run_slug }}>
        Run after
      </Link>
    </Box>
  );
}

interface ActionsProps {
  shift: ShiftOut;
  title: string;
  isShown: boolean;
  onShow: (id: string) => void;
}

function Actions({ shift, title, isShown, onShow }: ActionsProps) {
  const decide = api.useMutation('patch', '/api/v1/changes/{change_id}');
  return (
    <Group
      component="span"
      display="inline-flex"
      gap={4}
      align="normal"
      justify="flex-end"
      wrap="nowrap"
    >
      <Button
        size="compact-xs"
        variant="subtle"
        disabled={isShown}
        aria-label={`Show the chart of ${title}`}
        onClick={() => onShow(shift.id)}
      >
        {isShown ? 'In the chart' : 'Show chart'}
      </Button>
      <Decide
        label={`Decide about ${title}`}
        draft={`change.${shift.id}`}
        onSend={(body) => decide.mutateAsync({ params: { path: { change_id: shift.id } }, body })}
        decided={{
          status: shift.status,
          isOpen: shift.is_open,
          note: shift.note,
          pairs: shift.confirmation?.pairs ?? 0,
        }}
      />
    </Group>
  );
}
