import { Box, Button, Group } from '@mantine/core';
import { IconPlayerPlayFilled } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '@/api/client';
import type { PresetOut } from '@/api/schema';
import { useAccess } from '@/api/session';
import { useStartRun } from '@/api/start-run';
import { DenialNote } from '@/components/DenialNote';
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
                  onStart={() => {
                    start(starter);
                  }}
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
    <li className={classes.item}>
      <h3 className={classes.name}>{starter.name}</h3>
      <p className={classes.description}>{starter.description}</p>
      <p className={classes.frameworks}>
        {starter.frameworks.map((framework) => (
          <span key={framework.slug} className={classes.framework}>
            <Marker colour={framework.colour} size={10} /> {framework.name}
          </span>
        ))}
      </p>
      <p className={classes.cost}>
        {formatCount(starter.results, 'result')} {describeAmount(plan)}{' '}
        {formatDuration(starter.seconds)}
      </p>
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
        <Button
          size="xs"
          variant="subtle"
          aria-label={`Adjust ${starter.name}`}
          renderRoot={(props) => <Link to="/runs/new" search={encodePlan(plan)} {...props} />}
        >
          Adjust
        </Button>
      </Group>
    </li>
  );
}

function NothingRuns() {
  return (
    <EmptyState
      title="No framework can run on this machine yet"
      action={
        <Button
          variant="default"
          size="xs"
          renderRoot={(props) => <Link to="/frameworks" {...props} />}
        >
          See requirements
        </Button>
      }
    >
      Each framework needs its toolchain, or a Docker engine for all of them.{' '}
      <code>make doctor</code> shows what is missing and how to install it.
    </EmptyState>
  );
}
