import { Box, Button, Group, Stack } from '@mantine/core';
import { IconPlayerPlayFilled } from '@tabler/icons-react';
import { useState } from 'react';
import { api } from '@/api/client';
import type { PresetOut } from '@/api/schema';
import { useAccess } from '@/api/session';
import { useStartRun } from '@/api/start-run';
import { DenialNote } from '@/components/DenialNote';
import { LinkButton } from '@/components/LinkButton';
import { Marker } from '@/components/Marker';
import { Refusal } from '@/components/Refusal';
import { EmptyState, Loaded, LoadingState } from '@/components/States';
import { formatCount, formatDuration } from '@/lib/format';
import { describeAmount, encodePlan } from '@/lib/run-plan';
import { planOfRequest } from '@/lib/run-request';
import classes from './Starters.module.css';

/** Lists suggested runs, to start at once or to adjust first. */
export function Starters() {
  const presets = api.useQuery('get', '/api/v1/presets');
  const create = useStartRun();
  const [started, setStarted] = useState<PresetOut | null>(null);
  const { isAllowed, denial } = useAccess('run');

  const start = (preset: PresetOut) => {
    setStarted(preset);
    create.start(preset.request);
  };

  return (
    <Loaded query={presets} loading={<LoadingState lines={3} />}>
      {({ items }) => {
        const starters = items.filter((preset) => preset.is_starter);
        if (starters.length === 0) return <NothingRuns />;
        return (
          <>
            {denial && (
              <Box mb="sm">
                <DenialNote denial={denial} action="start these runs" />
              </Box>
            )}
            {create.error && started && <Refusal error={create.error} />}
            <ul className={classes.list}>
              {starters.map((starter) => (
                <StarterItem
                  key={starter.slug}
                  starter={starter}
                  busy={create.isPending && started === starter}
                  mayStart={isAllowed}
                  onStart={() => start(starter)}
                />
              ))}
            </ul>
          </>
        );
      }}
    </Loaded>
  );
}

interface StarterItemProps {
  starter: PresetOut;
  busy: boolean;
  mayStart: boolean;
  onStart: () => void;
}

function StarterItem({ starter, busy, mayStart, onStart }: StarterItemProps) {
  const plan = planOfRequest(starter.request);
  return (
    <Stack component="li" gap={0} py="md" px={20} bg="var(--tacho-background)">
      <Box component="h3" m={0} fz="lg" fw={600}>
        {starter.name}
      </Box>
      <Box component="p" m="2px 0 12px" c="dimmed">
        {starter.description}
      </Box>
      <Group component="p" gap="2px 12px" align="normal" m="0 0 8px">
        {starter.frameworks.map((framework) => (
          <Group key={framework.slug} component="span" display="inline-flex" gap={5} wrap="nowrap">
            <Marker colour={framework.colour} size={10} /> {framework.name}
          </Group>
        ))}
      </Group>
      <Box component="p" m="auto 0 12px" c="dimmed" className="figures">
        {formatCount(starter.results, 'result')} {describeAmount(plan)}{' '}
        {formatDuration(starter.seconds)}
      </Box>
      <Group gap={4} wrap="nowrap">
        <Button
          size="xs"
          loading={busy}
          disabled={!mayStart}
          onClick={onStart}
          aria-label={`Run ${starter.name}`}
          leftSection={<IconPlayerPlayFilled size={12} aria-hidden />}
        >
          Run
        </Button>
        <LinkButton
          variant="subtle"
          aria-label={`Adjust ${starter.name}`}
          to="/runs/new"
          search={encodePlan(plan)}
        >
          Adjust
        </LinkButton>
      </Group>
    </Stack>
  );
}

function NothingRuns() {
  return (
    <EmptyState
      title="No framework can run on this machine yet"
      action={<LinkButton to="/frameworks">See requirements</LinkButton>}
    >
      Each framework needs its toolchain, or a Docker engine for all of them.{' '}
      <code>make doctor</code> shows what is missing and how to install it.
    </EmptyState>
  );
}
