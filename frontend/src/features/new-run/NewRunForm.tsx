import { Box, TextInput, MultiSelect } from '@mantine/core';
import { useMemo, useState } from 'react';
import { api, LEAVES, ProblemError } from '@/api/client';
import type { FrameworkOut, HostOut, RunListItem, ScenarioOut } from '@/api/schema';
import { Notice } from '@/components/Notice';
import { Section } from '@/components/Page';
import { Refusal } from '@/components/Refusal';
import { joinWords } from '@/lib/format';
import type { Plan } from '@/lib/run-plan';
import { listAble, splitUnknown, toggleScenario, toRunIn } from './cells';
import { FrameworkChoice } from './FrameworkChoice';
import { countCells, planSeconds } from './loads';
import { HostChoice } from './HostChoice';
import classes from './NewRunForm.module.css';
import { PresetChoice } from './PresetChoice';
import { type PlacedProblems, placeProblems } from './problems';
import { RunBar } from './RunBar';
import { ScenarioChoice } from './ScenarioChoice';
import { ScenarioSettings } from './ScenarioSettings';
import { SharedSettings } from './SharedSettings';
import { TrialFields } from './TrialFields';

interface NewRunFormProps {
  /** The plan in the URL, which may name unknown items. */
  asked: Plan;
  onChange: (plan: Plan) => void;
  onStarted: (run: RunListItem) => void;
  /** Filter for names of frameworks. */
  filter: string;
  onFilter: (filter: string) => void;
  frameworks: readonly FrameworkOut[];
  scenarios: readonly ScenarioOut[];
  hosts: readonly HostOut[];
}

const NO_PROBLEMS: PlacedProblems = { at: {}, rest: [] };

/** Form for a new run. The plan is in the URL. */
export function NewRunForm(props: NewRunFormProps) {
  const { asked, onChange, onStarted, filter, onFilter, frameworks, scenarios, hosts } = props;
  const { plan, unknown } = useMemo(
    () => splitUnknown(asked, frameworks, scenarios),
    [asked, frameworks, scenarios],
  );
  const create = api.useMutation('post', '/api/v1/runs', LEAVES);
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
    create.mutate(
      { body: toRunIn(plan), headers: { 'Idempotency-Key': key } },
      { onSuccess: onStarted },
    );
  };

  const chosen = scenarios.filter((scenario) => plan.scenarios.includes(scenario.slug));
  const hostNames = hosts.filter((host) => host.is_usable).map((host) => host.name);
  return (
    <>
      {unknown.length > 0 && (
        <Notice title="Left out">
          The URL names {joinWords(unknown)}, which this installation does not have.
        </Notice>
      )}
      <PresetChoice plan={plan} onPlan={change} />
      <ScenarioChoice
        scenarios={scenarios}
        chosen={plan.scenarios}
        countAble={(scenario) => listAble(frameworks, [scenario], plan.host, hostNames).length}
        onToggle={(scenario) => change(toggleScenario(plan, scenario, frameworks, hostNames))}
      />
      <FrameworkChoice
        plan={plan}
        onChange={change}
        frameworks={frameworks}
        scenarios={chosen}
        hosts={hostNames}
        problems={problems.at}
        filter={filter}
        onFilter={onFilter}
      />
      {chosen.length > 0 && (
        <Section title="3. Load">
          {chosen.length > 1 && <SharedSettings plan={plan} scenarios={chosen} onChange={change} />}
          {chosen.map((scenario) => (
            <ScenarioSettings
              key={scenario.slug}
              plan={plan}
              scenario={scenario}
              onChange={change}
              problems={problems.at}
              isOpen={chosen.length === 1}
            />
          ))}
        </Section>
      )}
      <Section title={`${chosen.length > 0 ? 4 : 3}. Run`}>
        <div className={classes.fields}>
          <TrialFields plan={plan} onChange={change} problems={problems.at} />
          <HostChoice plan={plan} hosts={hosts} problems={problems.at} onChange={change} />
          <LoadHostsInput
            plan={plan}
            hosts={hosts}
            error={problems.at.load_hosts}
            onChange={change}
          />
          <TextInput
            label="Title"
            description="Optional. Shown in lists and links."
            maxLength={200}
            value={plan.title}
            error={problems.at.title}
            onChange={(event) => change({ ...plan, title: event.currentTarget.value })}
          />
        </div>
      </Section>
      {unplaced && (
        <Box mt="lg">
          <Refusal error={create.error} />
        </Box>
      )}
      <RunBar
        plan={plan}
        cells={countCells(plan, scenarios)}
        seconds={planSeconds(plan, scenarios)}
        refused={create.isError}
        busy={create.isPending}
        onRun={start}
        onClear={() => change({ ...plan, scenarios: [], cells: [], profiles: {}, parameters: {} })}
      />
    </>
  );
}

function hasPlaces(problems: PlacedProblems): boolean {
  return Object.keys(problems.at).length > 0;
}

interface LoadHostsInputProps {
  plan: Plan;
  hosts: readonly HostOut[];
  error: string | undefined;
  onChange: (plan: Plan) => void;
}

/** Choice of the hosts that send the load. Absent if no host can take load from another host. */
function LoadHostsInput({ plan, hosts, error, onChange }: LoadHostsInputProps) {
  const usable = hosts.filter((host) => host.is_usable);
  const isPossible = usable.length > 1 && usable.some((host) => host.accepts_remote_load);
  if (!isPossible && plan.loadHosts.length === 0) return null;
  const others = usable.map(({ name }) => name).filter((name) => name !== plan.host);
  return (
    <MultiSelect
      label="Load hosts"
      description="Optional. Hosts that send the load over the network, in equal parts."
      placeholder={plan.loadHosts.length === 0 ? 'The host itself' : undefined}
      data={[...new Set([...others, ...plan.loadHosts])]}
      value={plan.loadHosts}
      error={error}
      onChange={(loadHosts) => onChange({ ...plan, loadHosts })}
    />
  );
}
