import { NumberInput, Select } from '@mantine/core';
import { api } from '@/api/client';
import type { FrameworkOut, Metric, MetricOut, ScenarioOut } from '@/api/schema';
import { EntryForm } from '@/components/EntryForm';
import { useDraftForm } from '@/lib/entries';
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
  metric: Metric | null;
  limit: number | string;
}

/** Sets a limit, by default of the first primary metric. The metric's direction decides whether it is an upper or lower bound. */
export function SloForm({ frameworks, scenarios, metrics }: SloFormProps) {
  const create = api.useMutation('post', '/api/v1/slos');
  const form = useDraftForm<Values>('slo', {
    initialValues: { framework: '', scenario: null, metric: null, limit: '' },
    validate: { limit: (limit) => Number(limit) <= 0 && 'Enter a number above 0.' },
  });
  const info = metrics.find((metric) =>
    form.values.metric === null ? metric.is_primary : metric.metric === form.values.metric,
  );
  const chosen = form.values.scenario ?? scenarios[0]?.slug;
  return (
    <EntryForm
      form={form}
      button="Set limit"
      width={1168}
      disabled={chosen === undefined || info === undefined || form.values.limit === ''}
      onSend={async ({ framework, limit }) => {
        if (chosen === undefined || info === undefined) return;
        await create.mutateAsync({
          body: {
            framework: framework === '' ? null : framework,
            scenario: chosen,
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
        />
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
