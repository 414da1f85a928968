import { Select, TextInput } from '@mantine/core';
import { useMemo, useState } from 'react';
import { ProblemError } from '@/api/client';
import type { Framework } from '@/api/frameworks';
import type { Host } from '@/api/hosts';
import { type RunListItem, useCreateRun } from '@/api/runs';
import type { Scenario } from '@/api/scenarios';
import { Notice } from '@/components/Notice';
import { Section } from '@/components/Page';
import { Refusal } from '@/components/Refusal';
import { joinWords } from '@/lib/format';
import type { Plan } from '@/lib/run-plan';
import { Matrix } from './Matrix';
import {
  countCells,
  type PlacedProblems,
  placeProblems,
  planSeconds,
  splitUnknown,
  toRunIn,
} from './matrix';
import classes from './NewRunForm.module.css';
import { RunBar } from './RunBar';
import { ScenarioSettings } from './ScenarioSettings';
import { TrialFields } from './TrialFields';

interface NewRunFormProps {
  /** The plan in the URL, which may name unknown items. */
  asked: Plan;
  onChange: (plan: Plan) => void;
  onStarted: (run: RunListItem) => void;
  /** Filter for names of frameworks. */
  filter: string;
  onFilter: (filter: string) => void;
  frameworks: readonly Framework[];
  scenarios: readonly Scenario[];
  hosts: readonly Host[];
}

const NO_PROBLEMS: PlacedProblems = { at: {}, rest: [] };

/** Form for a new run. The plan is in the URL. */
export function NewRunForm(props: NewRunFormProps) {
  const { asked, onChange, onStarted, filter, onFilter, frameworks, scenarios, hosts } = props;
  const { plan, unknown } = useMemo(
    () => splitUnknown(asked, frameworks, scenarios),
    [asked, frameworks, scenarios],
  );
  const create = useCreateRun();
  // Submitting the same plan twice (double click, retry) creates one run; a changed plan creates a new one.
  const [idempotency, setIdempotency] = useState({ plan, key: crypto.randomUUID() });

  const problems =
    create.error instanceof ProblemError ? placeProblems(plan, create.error.problems) : NO_PROBLEMS;
  const unplaced = create.error && (problems.rest.length > 0 || !hasPlaces(problems));

  const change = (next: Plan) => {
    create.reset();
    onChange(next);
  };

  const start = () => {
    const key = idempotency.plan === plan ? idempotency.key : crypto.randomUUID();
    setIdempotency({ plan, key });
    create.mutate({ body: toRunIn(plan), idempotencyKey: key }, { onSuccess: onStarted });
  };

  const used = scenarios.filter((scenario) =>
    plan.cells.some((cell) => cell.scenario === scenario.slug),
  );
  return (
    <>
      {unknown.length > 0 && (
        <Notice title="Left out">
          The URL names {joinWords(unknown)}, which this installation does not have.
        </Notice>
      )}
      <Matrix
        plan={plan}
        onChange={change}
        frameworks={frameworks}
        scenarios={scenarios}
        hosts={hosts.map((host) => host.name)}
        problems={problems.at}
        filter={filter}
        onFilter={onFilter}
      />
      {used.map((scenario) => (
        <ScenarioSettings
          key={scenario.slug}
          plan={plan}
          scenario={scenario}
          onChange={change}
          problems={problems.at}
        />
      ))}
      <Section title="Run">
        <div className={classes.fields}>
          <TrialFields plan={plan} onChange={change} problems={problems.at} />
          <Select
            label="Host"
            description="Where to measure."
            data={[
              { value: '', label: 'Shortest queue' },
              ...hosts.map(({ name, state }) => ({ value: name, label: `${name} (${state})` })),
            ]}
            value={plan.host}
            error={problems.at.host}
            allowDeselect={false}
            onChange={(value) => {
              change({ ...plan, host: value ?? '' });
            }}
          />
          <TextInput
            label="Title"
            description="Optional. Shown in lists and links."
            maxLength={200}
            value={plan.title}
            error={problems.at.title}
            onChange={(event) => {
              change({ ...plan, title: event.currentTarget.value });
            }}
          />
        </div>
      </Section>
      {unplaced && (
        <div className={classes.refusal}>
          <Refusal
            error={create.error}
            onSignedIn={() => {
              start();
            }}
          />
        </div>
      )}
      <RunBar
        plan={plan}
        cells={countCells(plan, scenarios)}
        seconds={planSeconds(plan, scenarios)}
        refused={create.isError}
        busy={create.isPending}
        onRun={start}
        onClear={() => {
          change({ ...plan, cells: [], profiles: {}, parameters: {} });
        }}
      />
    </>
  );
}

function hasPlaces(problems: PlacedProblems): boolean {
  return Object.keys(problems.at).length > 0;
}
