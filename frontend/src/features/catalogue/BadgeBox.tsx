import { Select } from '@mantine/core';
import { useState } from 'react';
import type { LatestResult, Metric, MetricOut } from '@/api/schema';
import { CodeBlock } from '@/components/CodeBlock';
import { describeLoad } from '@/lib/load';
import classes from './BadgeBox.module.css';

interface BadgeBoxProps {
  slug: string;
  name: string;
  results: readonly LatestResult[];
  metrics: readonly MetricOut[];
}

/** Shows a badge with the newest public result, by default its main metric, and its Markdown for a README. */
export function BadgeBox({ slug, name, results, metrics }: BadgeBoxProps) {
  const [chosen, setChosen] = useState('0');
  const [picked, setPicked] = useState<Metric | null>(null);
  const result = results[Number(chosen)] ?? results[0];
  if (result === undefined) return null;
  const { cell, host } = result;
  const measured = metrics.filter((metric) => metric.metric in cell.summary);
  const shown = measured.find((value) => value.metric === (picked ?? result.metric)) ?? measured[0];
  if (shown === undefined) return null;
  const query = new URLSearchParams({ host, profile: cell.profile });
  const swept = findSwept(result, results);
  if (swept.length > 0) {
    query.set('parameters', swept.map((name) => `${name}:${cell.parameters[name]}`).join(','));
  }
  const path = `/badge/${slug}/${cell.scenario.slug}/${shown.metric}.svg?${query.toString()}`;
  const { origin } = window.location;
  const alt = `${name}, ${cell.scenario.name}, ${describeLoad(cell)}: ${shown.title}`;
  return (
    <div className={classes.box}>
      <div className={classes.choice}>
        <Select
          label="Result"
          data={results.map((result, index) => ({
            value: String(index),
            label: `${result.cell.scenario.name} · ${describeLoad(result.cell)} · ${result.host}`,
          }))}
          value={chosen}
          allowDeselect={false}
          onChange={(value) => setChosen(value ?? '0')}
        />
        <Select
          label="Metric"
          data={measured.map((value) => ({ value: value.metric, label: value.title }))}
          value={shown.metric}
          allowDeselect={false}
          searchable
          onChange={(value) => {
            if (value !== null) setPicked(value);
          }}
        />
      </div>
      <img src={path} alt={alt} height={20} />
      <CodeBlock
        label="Markdown"
        code={`[![${alt}](${origin}${path})](${origin}/frameworks/${slug})`}
      />
    </div>
  );
}

/** Return the parameters that differ between results of the same scenario, profile and host. */
function findSwept(result: LatestResult, results: readonly LatestResult[]): string[] {
  const { cell, host } = result;
  const siblings = results.filter(
    (result) =>
      result.host === host &&
      result.cell.profile === cell.profile &&
      result.cell.scenario.slug === cell.scenario.slug,
  );
  return Object.keys(cell.parameters).filter((name) =>
    siblings.some((result) => result.cell.parameters[name] !== cell.parameters[name]),
  );
}
