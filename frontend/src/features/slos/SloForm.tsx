import { Button, NumberInput, Select } from '@mantine/core';
import type { Framework } from '@/api/frameworks';
import type { Metric, MetricInfo } from '@/api/metrics';
import type { Scenario } from '@/api/scenarios';
import { useCreateSlo } from '@/api/slos';
import { Refusal } from '@/components/Refusal';
import { useDraft } from '@/lib/drafts';
import classes from './SloList.module.css';

interface SloFormProps {
  frameworks: readonly Framework[];
  scenarios: readonly Scenario[];
  metrics: readonly MetricInfo[];
}

/** Sets a limit, by default of the first primary metric. The metric's direction decides whether it is an upper or lower bound. */
export function SloForm({ frameworks, scenarios, metrics }: SloFormProps) {
  const create = useCreateSlo();
  const [framework, setFramework] = useDraft('slo.framework', '');
  const [scenario, setScenario] = useDraft<string | null>('slo.scenario', null);
  const [picked, setPicked] = useDraft<Metric | null>('slo.metric', null);
  const [limit, setLimit] = useDraft<number | ''>('slo.limit', '');
  const info = metrics.find((candidate) =>
    picked === null ? candidate.is_primary : candidate.metric === picked,
  );
  const chosen = scenario ?? scenarios[0]?.slug;
  const isLimit = limit !== '' && limit > 0;
  const submit = () => {
    if (chosen === undefined || info === undefined || !isLimit) return;
    create.mutate(
      {
        framework: framework === '' ? null : framework,
        scenario: chosen,
        metric: info.metric,
        limit,
      },
      {
        onSuccess: () => {
          setLimit('');
        },
      },
    );
  };
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Select
        label="Framework"
        searchable
        data={[
          { value: '', label: 'Every framework' },
          ...frameworks.map((framework) => ({ value: framework.slug, label: framework.name })),
        ]}
        value={framework}
        allowDeselect={false}
        onChange={(value) => {
          setFramework(value ?? '');
        }}
      />
      <Select
        label="Scenario"
        data={scenarios.map((scenario) => ({ value: scenario.slug, label: scenario.name }))}
        value={chosen ?? null}
        allowDeselect={false}
        onChange={setScenario}
      />
      <Select
        label="Metric"
        searchable
        data={metrics.map((metric) => ({ value: metric.metric, label: metric.title }))}
        value={info?.metric ?? null}
        allowDeselect={false}
        onChange={(value) => {
          const found = metrics.find((metric) => metric.metric === value);
          if (found) setPicked(found.metric);
        }}
      />
      <NumberInput
        label={`${info?.direction === 'higher' ? 'At least' : 'At most'}, in ${info?.unit ?? ''}`}
        value={limit}
        error={limit !== '' && limit <= 0 && 'Enter a number above 0.'}
        required
        hideControls
        onChange={(value) => {
          setLimit(typeof value === 'number' ? value : '');
        }}
      />
      <Button type="submit" variant="default" loading={create.isPending} disabled={!isLimit}>
        Set limit
      </Button>
      {create.error && (
        <div className={classes.refused}>
          <Refusal error={create.error} />
        </div>
      )}
    </form>
  );
}
