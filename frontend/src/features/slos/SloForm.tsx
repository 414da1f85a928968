import { NumberInput, Select } from '@mantine/core';
import { api } from '@/api/client';
import type { FrameworkOut, Metric, MetricOut, ScenarioOut } from '@/api/schema';
import { EntryForm } from '@/components/EntryForm';
import { useDraftForm } from '@/lib/entries';
import { words } from '@/lib/format';
import { describeParameter } from '@/lib/parameters';
import classes from './SloList.module.css';

interface SloFormProps {
  frameworks: readonly FrameworkOut[];
  scenarios: readonly ScenarioOut[];
  metrics: readonly MetricOut[];
}

interface Values extends Record<string, unknown> {
  framework: string;
  /** Null until the user chooses, because the lists may be loaded later. */
  scenario: string | null;
  /** Empty for every load. */
  profile: string;
  /** The value of the parameter that the profile is about; empty for every value. */
  amount: number | string;
  metric: Metric | null;
  limit: number | string;
}

/** The parameter that distinguishes loads of each kind. Loads in steps have none. */
const AMOUNTS: Record<string, string> = {
  rate: 'rate_rps',
  users: 'users',
  saturate: 'connections',
  count: 'requests',
};

/** Sets a limit, by default of the first primary metric. The metric's direction decides whether it is an upper or lower bound. */
export function SloForm({ frameworks, scenarios, metrics }: SloFormProps) {
  const create = api.useMutation('post', '/api/v1/slos');
  const form = useDraftForm<Values>('slo', {
    initialValues: {
      framework: '',
      scenario: null,
      profile: '',
      amount: '',
      metric: null,
      limit: '',
    },
    validate: { limit: (limit) => Number(limit) <= 0 && 'Enter a number above 0.' },
  });
  const info = metrics.find((metric) =>
    form.values.metric === null ? metric.is_primary : metric.metric === form.values.metric,
  );
  const scenario = scenarios.find(({ slug }) => slug === form.values.scenario) ?? scenarios[0];
  const chosen = scenario?.slug;
  const profile = scenario?.profiles.find(({ slug }) => slug === form.values.profile);
  const amount = profile && AMOUNTS[profile.kind];
  return (
    <EntryForm
      form={form}
      button="Set limit"
      width={1168}
      disabled={chosen === undefined || info === undefined || form.values.limit === ''}
      onSend={async ({ framework, amount: value, limit }) => {
        if (chosen === undefined || info === undefined) return;
        await create.mutateAsync({
          body: {
            framework: framework === '' ? null : framework,
            scenario: chosen,
            profile: profile?.slug ?? null,
            parameters: amount === undefined || value === '' ? {} : { [amount]: Number(value) },
            metric: info.metric,
            limit: Number(limit),
          },
        });
        form.setFieldValue('limit', '');
      }}
    >
      <div className={classes.form}>
        <Select
          label="Framework"
          searchable
          data={[
            { value: '', label: 'Every framework' },
            ...frameworks.map((framework) => ({ value: framework.slug, label: framework.name })),
          ]}
          allowDeselect={false}
          {...form.getInputProps('framework')}
        />
        <Select
          label="Scenario"
          data={scenarios.map((scenario) => ({ value: scenario.slug, label: scenario.name }))}
          allowDeselect={false}
          {...form.getInputProps('scenario')}
          value={chosen ?? null}
          onChange={(value: string | null) =>
            form.setValues({ scenario: value, profile: '', amount: '' })
          }
        />
        <Select
          label="Load"
          data={[
            { value: '', label: 'Every load' },
            ...(scenario?.profiles ?? []).map(({ slug, name, variant }) => ({
              value: slug,
              label: `${words(name)}, ${variant}`,
            })),
          ]}
          allowDeselect={false}
          {...form.getInputProps('profile')}
          value={profile?.slug ?? ''}
          onChange={(value: string | null) => form.setValues({ profile: value ?? '', amount: '' })}
        />
        {amount !== undefined && (
          <NumberInput
            label={nameAmount(amount)}
            placeholder="Every value"
            allowDecimal={false}
            min={1}
            hideControls
            {...form.getInputProps('amount')}
          />
        )}
        <Select
          label="Metric"
          searchable
          data={metrics.map((metric) => ({ value: metric.metric, label: metric.title }))}
          allowDeselect={false}
          {...form.getInputProps('metric')}
          value={info?.metric ?? null}
        />
        <NumberInput
          label={`${info?.direction === 'higher' ? 'At least' : 'At most'}, in ${info?.unit ?? ''}`}
          required
          hideControls
          {...form.getInputProps('limit')}
        />
      </div>
    </EntryForm>
  );
}

/** `Rate, in req/s`, or `Users`. */
function nameAmount(parameter: string): string {
  const { title, unit } = describeParameter(parameter);
  return unit === '' ? title : `${title}, in ${unit}`;
}
