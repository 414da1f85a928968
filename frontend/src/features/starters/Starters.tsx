import { Button } from '@mantine/core';
import { IconPlayerPlayFilled } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { frameworkQueries } from '@/api/frameworks';
import { useCreateRun } from '@/api/runs';
import { scenarioQueries } from '@/api/scenarios';
import { Marker } from '@/components/Marker';
import { Refusal } from '@/components/Refusal';
import { EmptyState, Loaded, LoadingState } from '@/components/States';
import { formatCount, formatDuration } from '@/lib/format';
import { describeAmount, encodePlan, trialFields } from '@/lib/run-plan';
import classes from './Starters.module.css';
import { listStarters, type Starter } from './starters';

/** Lists suggested runs, to start at once or to adjust first. */
export function Starters() {
  const frameworks = useQuery(frameworkQueries.list());
  const scenarios = useQuery(scenarioQueries.list());
  const create = useCreateRun();
  const navigate = useNavigate();
  const [started, setStarted] = useState<Starter | null>(null);

  const start = (starter: Starter) => {
    setStarted(starter);
    const { plan } = starter;
    const cells = plan.cells.map((cell) => ({
      ...cell,
      parameters: { ...plan.parameters[cell.scenario] },
    }));
    create.mutate(
      {
        body: { cells, ...trialFields(plan), title: plan.title, visibility: 'unlisted' },
        idempotencyKey: crypto.randomUUID(),
      },
      { onSuccess: (run) => void navigate({ to: '/runs/$run', params: { run: run.slug } }) },
    );
  };

  return (
    <Loaded query={frameworks} loading={<LoadingState lines={3} />}>
      {(known) => (
        <Loaded query={scenarios} loading={<LoadingState lines={3} />}>
          {(all) => {
            const starters = listStarters(known, all);
            if (starters.length === 0) return <NothingRuns />;
            return (
              <>
                {create.error && started && (
                  <Refusal
                    error={create.error}
                    onSignedIn={() => {
                      start(started);
                    }}
                  />
                )}
                <ul className={classes.list}>
                  {starters.map((starter) => (
                    <StarterItem
                      key={starter.slug}
                      starter={starter}
                      busy={create.isPending && started === starter}
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
      )}
    </Loaded>
  );
}

interface StarterItemProps {
  starter: Starter;
  busy: boolean;
  onStart: () => void;
}

function StarterItem({ starter, busy, onStart }: StarterItemProps) {
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
        {formatCount(starter.plan.cells.length, 'result')} {describeAmount(starter.plan)}{' '}
        {formatDuration(starter.seconds)}
      </p>
      <div className={classes.actions}>
        <Button
          size="xs"
          loading={busy}
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
          renderRoot={(props) => (
            <Link to="/runs/new" search={encodePlan(starter.plan)} {...props} />
          )}
        >
          Adjust
        </Button>
      </div>
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
      Each framework needs its toolchain, or a Docker engine for all of them. `make doctor` shows
      what is missing and how to install it.
    </EmptyState>
  );
}
