import { Box, InputLabel, SegmentedControl, Select, Text, TagsInput } from '@mantine/core';
import { useState } from 'react';
import { listParameters, sweptParameter, type SweptParameter } from '@/api/scenarios';
import type { ProfileOut, ScenarioOut } from '@/api/schema';
import ui from '@/components/ui.module.css';
import { words, formatBounds, formatCount } from '@/lib/format';
import { describeLoad, kindOf } from '@/lib/load';
import type { Plan } from '@/lib/run-plan';
import { profileOf, setParameter, setProfile, sweptValues } from './loads';
import { ParameterInput } from './ParameterInput';
import classes from './ScenarioSettings.module.css';
import { readValues } from './swept-values';

interface ScenarioSettingsProps {
  plan: Plan;
  scenario: ScenarioOut;
  onChange: (plan: Plan) => void;
  problems: Record<string, string>;
  /** Whether the settings are shown; otherwise only the load in words, to unfold. */
  isOpen: boolean;
}

/** Settings of the load for one scenario: profile, variant and parameters. */
export function ScenarioSettings(props: ScenarioSettingsProps) {
  const { plan, scenario, onChange, problems, isOpen } = props;
  const profile = profileOf(plan, scenario);
  if (profile === undefined) return null;
  const names = [...new Set(scenario.profiles.map((profile) => profile.name))];
  const variants = scenario.profiles.filter((candidate) => candidate.name === profile.name);
  const set = plan.parameters[scenario.slug] ?? {};
  const swept = sweptParameter(profile);
  const take = (name: string, variant: string) =>
    onChange(setProfile(plan, scenario, `${name}-${variant}`));

  return (
    <details className={classes.scenario} open={isOpen || hasProblem(problems, scenario)}>
      <summary className={classes.summary}>
        <Box component="h3" display="inline" m="0 12px 0 0" fz="sm" fw={600}>
          Load for {scenario.name}
        </Box>
        <span className={ui.quiet}>
          {words(profile.name)}, {profile.variant}: {describePlanned(plan, scenario, profile)}
        </span>
      </summary>
      <Text c="dimmed" my="xs">
        {profile.description}
      </Text>
      <div className={classes.fields}>
        <Select
          label="Profile"
          data={names.map((name) => ({ value: name, label: words(name) }))}
          value={profile.name}
          allowDeselect={false}
          error={problems[scenario.slug]}
          onChange={(name) => {
            if (name !== null) take(name, profile.variant);
          }}
        />
        <div>
          <InputLabel labelElement="div" id={`${scenario.slug}-length`}>
            Length
          </InputLabel>
          <SegmentedControl
            fullWidth
            aria-labelledby={`${scenario.slug}-length`}
            data={variants.map((variant) => variant.variant)}
            value={profile.variant}
            onChange={(variant) => take(profile.name, variant)}
          />
        </div>
        {swept && (
          <SweptValuesInput
            key={profile.slug}
            parameter={swept}
            values={sweptValues(plan, scenario) ?? []}
            problem={problems[`${scenario.slug}.${swept.name}`]}
            onValues={(values) => onChange(setParameter(plan, scenario, swept.name, values))}
          />
        )}
        {listParameters(profile).map((parameter) => (
          <ParameterInput
            key={parameter.name}
            parameter={parameter}
            value={Number(set[parameter.name] ?? parameter.default)}
            error={problems[`${scenario.slug}.${parameter.name}`]}
            onNumber={(value) => onChange(setParameter(plan, scenario, parameter.name, value))}
          />
        ))}
      </div>
    </details>
  );
}

function hasProblem(problems: Record<string, string>, { slug }: ScenarioOut): boolean {
  return Object.keys(problems).some((place) => place === slug || place.startsWith(`${slug}.`));
}

/** Return the load in words; of a sweep, with the number of values. */
function describePlanned(plan: Plan, scenario: ScenarioOut, profile: ProfileOut): string {
  const set = plan.parameters[scenario.slug] ?? {};
  const values = listParameters(profile).map(
    ({ name, default: value }) => [name, Number(set[name] ?? value)] as const,
  );
  const swept = sweptParameter(profile);
  const found = sweptValues(plan, scenario) ?? [];
  const parameters = Object.fromEntries(values);
  if (swept && found[0] !== undefined) parameters[swept.name] = found[0];
  const load = describeLoad({ kind: kindOf(parameters), parameters });
  return swept
    ? `${load}, and ${found.length - 1} more values of ${swept.title.toLowerCase()}`
    : load;
}

interface SweptValuesInputProps {
  parameter: SweptParameter;
  values: readonly number[];
  /** Error of the server. */
  problem: string | undefined;
  /** Called with at least one whole number, all within bounds. */
  onValues: (values: number[]) => void;
}

/** Input for the values of a sweep. A comma, a space or Enter ends a value. */
function SweptValuesInput({ parameter, values, problem, onValues }: SweptValuesInputProps) {
  const [fault, setFault] = useState<string | null>(null);
  const { title, unit, description, minimum, maximum } = parameter;
  return (
    <TagsInput
      className={classes.field}
      label={`${title} (sweep)`}
      description={`${description} One result per value (${formatCount(values.length, 'value')}), ${formatBounds(minimum, maximum, unit)}.`}
      splitChars={[',', ' ', ';']}
      acceptValueOnBlur
      value={values.map(String)}
      error={fault ?? problem}
      onChange={(typed) => {
        const read = readValues(typed, parameter);
        setFault(read.fault);
        if (read.values.length > 0) onValues(read.values);
      }}
    />
  );
}
