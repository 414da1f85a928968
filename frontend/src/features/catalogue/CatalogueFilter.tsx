import { Select, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import type { FrameworkOut, ScenarioOut } from '@/api/schema';
import { words } from '@/lib/format';
import classes from './CatalogueFilter.module.css';
import { type CatalogueSearch, runtimeOf, valuesOf } from './filter';

interface CatalogueFilterProps {
  frameworks: readonly FrameworkOut[];
  scenarios: readonly ScenarioOut[];
  search: CatalogueSearch;
  onChange: (change: CatalogueSearch) => void;
}

/** Filters the catalogue; every filter can be cleared. */
export function CatalogueFilter({ frameworks, scenarios, search, onChange }: CatalogueFilterProps) {
  const plain = (values: readonly string[]) =>
    values.map((value) => ({ value, label: words(value) }));
  return (
    <div className={classes.filter} role="search" aria-label="Filter frameworks">
      <TextInput
        label="Search"
        placeholder="Name or version"
        leftSection={<IconSearch size={16} aria-hidden />}
        value={search.search ?? ''}
        onChange={(event) => {
          onChange({ search: event.currentTarget.value });
        }}
      />
      <Choice
        label="Language"
        all="All languages"
        data={valuesOf(frameworks, (framework) => framework.language).map((value) => ({
          value,
          label: value,
        }))}
        value={search.language}
        onChoose={(value) => {
          onChange({ language: value });
        }}
      />
      <Choice
        label="Runtime"
        all="All runtimes"
        data={valuesOf(frameworks, runtimeOf).map((value) => ({ value, label: value }))}
        value={search.runtime}
        onChoose={(value) => {
          onChange({ runtime: value });
        }}
      />
      <Choice
        label="Concurrency"
        all="All kinds"
        data={plain(valuesOf(frameworks, (framework) => framework.concurrency))}
        value={search.concurrency}
        onChoose={(value) => {
          onChange({ concurrency: value });
        }}
      />
      <Choice
        label="Scenario"
        all="All scenarios"
        data={scenarios.map((scenario) => ({ value: scenario.slug, label: scenario.name }))}
        value={search.scenario}
        onChoose={(value) => {
          onChange({ scenario: value });
        }}
      />
    </div>
  );
}

interface ChoiceProps {
  label: string;
  all: string;
  data: { value: string; label: string }[];
  value: string | undefined;
  onChoose: (value: string) => void;
}

function Choice({ label, all, data, value, onChoose }: ChoiceProps) {
  return (
    <Select
      label={label}
      placeholder={all}
      data={data}
      value={value ?? null}
      clearable
      onChange={(next) => {
        onChoose(next ?? '');
      }}
    />
  );
}
