import { NumberInput, Select } from '@mantine/core';
import type { Framework } from '@/api/frameworks';
import type { Metric, MetricInfo } from '@/api/metrics';
import type { Scenario } from '@/api/scenarios';
import { useCreateSlo } from '@/api/slos';
import { EntryForm } from '@/components/EntryForm';
import { useDraftForm } from '@/lib/entries';
import classes from './SloList.module.css';

interface SloFormProps {
  frameworks: readonly Framework[];
  scenarios: readonly Scenario[];
  metrics: readonly MetricInfo[];
}

interface Values extends Record<string, unknown> {
  framework: string;
  scenario: string;
  metric: Metric | null;
  limit: number | string;
}

/** Sets a limit, by default of the first primary metric. The metric's direction decides whether it is an upper or lower bound. */
export function SloForm({ frameworks, scenarios, metrics }: SloFormProps) {
  const create = useCreateSlo();
  const form = useDraftForm<Values>('slo', {
    initialValues: {
      framework: '',
      scenario: scenarios[0]?.slug ?? '',
      metric: metrics.find((metric) => metric.is_primary)?.metric ?? null,
      limit: '',
    },
    validate: { limit: (limit) => Number(limit) <= 0 && 'Enter a number above 0.' },
  });
  const info = metrics.find(({ metric }) => metric === form.values.metric);
  return (
    <EntryForm
      form={form}
      button="Set limit"
      width={1168}
      disabled={info === undefined || form.values.limit === ''}
      onSend={async ({ framework, scenario, metric, limit }) => {
        if (metric === null) return;
        await create.mutateAsync({
          framework: framework === '' ? null : framework,
          scenario,
          metric,
          limit: Number(limit),
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
        />
        <Select
          label="Metric"
          searchable
          data={metrics.map((metric) => ({ value: metric.metric, label: metric.title }))}
          allowDeselect={false}
          {...form.getInputProps('metric')}
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
