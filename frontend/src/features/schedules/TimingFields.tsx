import { Box, SegmentedControl, Select, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { api } from '@/api/client';
import ui from '@/components/ui.module.css';
import { formatDateTime } from '@/lib/format';
import classes from './Schedules.module.css';
import { type Rhythm, type TimingDraft, toCron, WEEKDAYS } from './timing';

interface TimingFieldsProps {
  draft: TimingDraft;
  onChange: (draft: TimingDraft) => void;
}

const RHYTHMS: { value: Rhythm; label: string }[] = [
  { value: 'nightly', label: 'Daily' },
  { value: 'weekly', label: 'Weekly' },
  { value: 'custom', label: 'Cron' },
];

/** Fields for the timing, with a preview from the server. */
export function TimingFields({ draft, onChange }: TimingFieldsProps) {
  return (
    <>
      <SegmentedControl
        aria-label="How often"
        style={{ alignSelf: 'flex-start' }}
        data={RHYTHMS}
        value={draft.rhythm}
        onChange={(rhythm) => {
          // Switching to cron starts with the current timing.
          onChange({ ...draft, cron: toCron(draft), rhythm: rhythm });
        }}
      />
      <div className={classes.fields}>
        {draft.rhythm === 'weekly' && (
          <Select
            label="Day"
            data={WEEKDAYS.map((label, day) => ({ value: String(day), label }))}
            value={String(draft.weekday)}
            allowDeselect={false}
            onChange={(day) => onChange({ ...draft, weekday: Number(day) })}
          />
        )}
        {draft.rhythm === 'custom' ? (
          <TextInput
            label="Cron expression"
            description="Minute, hour, day, month, weekday."
            value={draft.cron}
            onChange={(event) => onChange({ ...draft, cron: event.currentTarget.value })}
          />
        ) : (
          <TextInput
            label="Time"
            type="time"
            value={draft.time}
            onChange={(event) => onChange({ ...draft, time: event.currentTarget.value })}
          />
        )}
        <Select
          label="Time zone"
          data={timeZones(draft.timeZone)}
          value={draft.timeZone}
          searchable
          allowDeselect={false}
          onChange={(timeZone) => {
            if (timeZone !== null) onChange({ ...draft, timeZone });
          }}
        />
      </div>
      <Preview draft={draft} />
    </>
  );
}

const PAUSE_MS = 250;

function Preview({ draft }: { draft: TimingDraft }) {
  const [timing] = useDebouncedValue({ cron: toCron(draft), time_zone: draft.timeZone }, PAUSE_MS);
  const { data, error } = api.useQuery(
    'get',
    '/api/v1/schedule-times',
    { params: { query: timing } },
    { retry: false },
  );
  if (error) {
    return (
      <Box component="p" m={0} c="var(--tacho-bad)" role="alert">
        {error.message}
      </Box>
    );
  }
  if (!data) return <p className={ui.quiet}>…</p>;
  return (
    <p className={ui.quiet}>
      {data.words}, {draft.timeZone}. Next runs in your time:{' '}
      {data.next_times.slice(0, 3).map(formatDateTime).join(' · ')}
    </p>
  );
}

/** The browser's list may lack the selected zone, such as UTC. */
function timeZones(chosen: string): string[] {
  return [...new Set(['UTC', chosen, ...Intl.supportedValuesOf('timeZone')])];
}
