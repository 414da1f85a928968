import { Link } from '@tanstack/react-router';
import type { Schedule } from '@/api/schedules';
import { Facts } from '@/components/Facts';
import { formatDateTime, formatCount } from '@/lib/format';

/** Lists what a schedule measures, its host and its next times. */
export function WhatAndWhen({ schedule }: { schedule: Schedule }) {
  const { run, host, next_times: times } = schedule;
  const cells = run.cells.map(({ framework, scenario, profile, parameters }) => {
    const set = Object.entries(parameters ?? {}).map(([name, value]) => `${name}=${String(value)}`);
    return [framework, scenario, profile ?? 'default profile', ...set].join(' · ');
  });
  return (
    <Facts
      facts={[
        ['Results', cells.length > 3 ? <Many key="cells" cells={cells} /> : cells.join('; ')],
        [
          'Trials per result',
          run.until ? `until certain, at most ${run.max_trials ?? '–'}` : String(run.trials),
        ],
        [
          'Host',
          <Link key="host" to="/hosts/$name" params={{ name: host }}>
            {host}
          </Link>,
        ],
        ['Visibility', schedule.visibility],
        ['Cron', `${schedule.cron} (${schedule.time_zone})`],
        [
          'Next runs (your time)',
          times.length === 0
            ? 'paused'
            : times.map((time) => <div key={time}>{formatDateTime(time)}</div>),
        ],
      ]}
    />
  );
}

function Many({ cells }: { cells: readonly string[] }) {
  return (
    <details>
      <summary>{formatCount(cells.length, 'result')}</summary>
      {cells.map((cell) => (
        <div key={cell}>{cell}</div>
      ))}
    </details>
  );
}
