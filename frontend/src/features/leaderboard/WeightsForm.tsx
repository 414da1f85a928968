import { ActionIcon, NumberInput, Select } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import type { MetricOut } from '@/api/schema';
import type { Weights } from './weights';
import classes from './WeightsForm.module.css';

interface WeightsFormProps {
  weights: Weights;
  metrics: readonly MetricOut[];
  onChange: (weights: Weights) => void;
}

/** Edits the metrics and weights of a composite, which are in the URL. */
export function WeightsForm({ weights, metrics, onChange }: WeightsFormProps) {
  const total = weights.reduce((sum, [, weight]) => sum + weight, 0);
  const chosen = new Set(weights.map(([metric]) => metric));
  return (
    <fieldset className={classes.form}>
      <legend>Weights</legend>
      {weights.map(([metric, weight]) => {
        const title = metrics.find((candidate) => candidate.metric === metric)?.title ?? metric;
        return (
          <div key={metric} className={classes.weight}>
            <NumberInput
              label={title}
              description={`${Math.round((weight / total) * 100)} % of the score`}
              min={0.1}
              max={100}
              step={1}
              value={weight}
              onChange={(value) => {
                if (typeof value === 'number' && value > 0) {
                  onChange(
                    weights.map((weight) => (weight[0] === metric ? [metric, value] : weight)),
                  );
                }
              }}
            />
            {weights.length > 1 && (
              <ActionIcon
                aria-label={`Remove ${title}`}
                onClick={() => onChange(weights.filter(([name]) => name !== metric))}
              >
                <IconX size={16} aria-hidden />
              </ActionIcon>
            )}
          </div>
        );
      })}
      <Select
        label="Add a metric"
        placeholder="Choose"
        searchable
        value={null}
        data={metrics
          .filter(({ metric }) => !chosen.has(metric))
          .map(({ metric, title }) => ({ value: metric, label: title }))}
        onChange={(metric) => {
          if (metric !== null) onChange([...weights, [metric, 1]]);
        }}
      />
    </fieldset>
  );
}
