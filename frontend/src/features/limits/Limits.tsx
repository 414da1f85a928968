import { Box, Progress, Stack } from '@mantine/core';
import { api } from '@/api/client';
import type { LimitOut } from '@/api/schema';
import { Section } from '@/components/Page';
import { Loaded } from '@/components/States';
import classes from './Limits.module.css';

const TEXTS: Record<LimitOut['name'], { title: string; hint: string }> = {
  requests: {
    title: 'Requests',
    hint: 'In the last minute, of you: browsers and personal tokens.',
  },
  computing_seconds: {
    title: 'Computing time',
    hint: 'Seconds that your requests used the database. Half a second comes back each second.',
  },
  streams: { title: 'Live pages', hint: 'Pages of runs that you follow, and other event streams.' },
  queued_trials: { title: 'Queued trials', hint: 'Queued and running trials of the workspace.' },
  bench_minutes: {
    title: 'Bench minutes',
    hint: 'Measured in the last 24 hours in this workspace, and expected of its queued trials.',
  },
};
const FULL = 0.9;

/** The limits of the caller and of the workspace, with what is used of them. */
export function Limits() {
  const query = api.useQuery('get', '/api/v1/limits');
  return (
    <Section
      title="Limits"
      hint="A request above a limit is refused. The answer contains the time after which to try again. Operators change the limits of a workspace."
    >
      <Loaded query={query}>
        {({ items }) => (
          <Stack component="dl" gap={0} maw="44rem">
            {items.map((limit) => (
              <Usage key={limit.name} limit={limit} />
            ))}
          </Stack>
        )}
      </Loaded>
    </Section>
  );
}

function Usage({ limit: { name, limit, used } }: { limit: LimitOut }) {
  const { title, hint } = TEXTS[name];
  const share = limit === null ? 0 : Math.min(1, used / limit);
  return (
    <div className={classes.limit}>
      <dt>
        {title}
        <Box c="dimmed" fz="xs">
          {hint}
        </Box>
      </dt>
      <Stack component="dd" gap="0.25rem">
        <span className="figures">
          {used.toLocaleString('en')}
          {limit === null ? ' · no limit' : ` of ${limit.toLocaleString('en')}`}
        </span>
        {limit !== null && (
          <Progress
            value={Math.round(share * 100)}
            color={share >= FULL ? 'orange' : undefined}
            aria-label={`${title}: share used`}
          />
        )}
      </Stack>
    </div>
  );
}
