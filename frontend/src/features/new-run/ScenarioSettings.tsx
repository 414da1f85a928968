import { InputLabel, SegmentedControl, Select } from '@mantine/core';
import { listParameters, type Scenario, sweptParameter } from '@/api/scenarios';
import { Section } from '@/components/Page';
import { WholeNumberInput } from '@/components/WholeNumberInput';
import { words } from '@/lib/format';
import type { Plan } from '@/lib/run-plan';
import { profileOf, setParameter, setProfile, sweptValues } from './matrix';
import { SweptValuesInput } from './SweptValuesInput';
import classes from './ScenarioSettings.module.css';

interface ScenarioSettingsProps {
  plan: Plan;
  scenario: Scenario;
  onChange: (plan: Plan) => void;
  problems: Record<string, string>;
}

/** Settings of the load for one scenario: profile, variant and parameters. */
export function ScenarioSettings({ plan, scenario, onChange, problems }: ScenarioSettingsProps) {
  const profile = profileOf(plan, scenario);
  if (profile === undefined) return null;
  const names = [...new Set(scenario.profiles.map((profile) => profile.name))];
  const variants = scenario.profiles.filter((candidate) => candidate.name === profile.name);
  const set = plan.parameters[scenario.slug] ?? {};
  const swept = sweptParameter(profile);
  const take = (name: string, variant: string) => {
    onChange(setProfile(plan, scenario, `${name}-${variant}`));
  };

  return (
    <Section title={`Load for ${scenario.name}`} hint={profile.description}>
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
            onChange={(variant) => {
              take(profile.name, variant);
            }}
          />
        </div>
        {swept && (
          <SweptValuesInput
            key={profile.slug}
            parameter={swept}
            values={sweptValues(plan, scenario) ?? []}
            problem={problems[`${scenario.slug}.${swept.name}`]}
            onValues={(values) => {
              onChange(setParameter(plan, scenario, swept.name, values));
            }}
          />
        )}
        {listParameters(profile).map((parameter) => (
          <WholeNumberInput
            key={parameter.name}
            label={parameter.title}
            description={parameter.description}
            unit={parameter.unit}
            min={parameter.minimum}
            max={parameter.maximum}
            value={Number(set[parameter.name] ?? parameter.default)}
            error={problems[`${scenario.slug}.${parameter.name}`]}
            onNumber={(value) => {
              onChange(setParameter(plan, scenario, parameter.name, value));
            }}
          />
        ))}
      </div>
    </Section>
  );
}
