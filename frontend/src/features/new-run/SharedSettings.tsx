import { Button, Group, InputLabel, SegmentedControl } from '@mantine/core';
import type { ScenarioOut } from '@/api/schema';
import { formatWhole } from '@/lib/format';
import type { Plan } from '@/lib/run-plan';
import {
  commonVariant,
  setShared,
  setVariant,
  type SharedParameter,
  sharedParameters,
} from './loads';
import { ParameterInput } from './ParameterInput';
import classes from './ScenarioSettings.module.css';

interface SharedSettingsProps {
  plan: Plan;
  /** The chosen scenarios, at least two. */
  scenarios: readonly ScenarioOut[];
  onChange: (plan: Plan) => void;
}

/** Settings that apply to the loads of all scenarios. */
export function SharedSettings({ plan, scenarios, onChange }: SharedSettingsProps) {
  return (
    <fieldset className={classes.shared}>
      <legend className={classes.legend}>All scenarios</legend>
      <div className={classes.fields}>
        <div>
          <InputLabel labelElement="div" id="all-length">
            Length
          </InputLabel>
          <SegmentedControl
            fullWidth
            aria-labelledby="all-length"
            data={['quick', 'full']}
            value={commonVariant(plan, scenarios) ?? ''}
            onChange={(variant) => onChange(setVariant(plan, scenarios, variant))}
          />
        </div>
        {sharedParameters(plan, scenarios).map((parameter) => (
          <SharedField
            key={parameter.name}
            parameter={parameter}
            onValue={(value) => onChange(setShared(plan, parameter, value))}
          />
        ))}
      </div>
    </fieldset>
  );
}

interface SharedFieldProps {
  parameter: SharedParameter;
  onValue: (value: number) => void;
}

/** Shows the value of the first scenario. If others differ, a button applies it to all. */
function SharedField({ parameter, onValue }: SharedFieldProps) {
  const { unit, minimum, names, values } = parameter;
  const first = values[0]?.value ?? minimum;
  const others = values.filter(({ value }) => value !== first);
  const show = (value: number) => names?.[value - minimum] ?? formatWhole(String(value), unit);
  return (
    <div>
      <ParameterInput
        parameter={{ ...parameter, description: `In ${values.length} scenarios.` }}
        value={first}
        onNumber={onValue}
      />
      {others.length > 0 && (
        <Group component="p" gap="4px 8px" m="6px 0 0" c="dimmed">
          {others.map(({ scenario, value }) => `${scenario.name}: ${show(value)}`).join(', ')}
          <Button size="compact-xs" variant="light" onClick={() => onValue(first)}>
            Apply {show(first)} to all
          </Button>
        </Group>
      )}
    </div>
  );
}
