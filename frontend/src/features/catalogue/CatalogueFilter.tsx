import { TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import type { FrameworkOut, ScenarioOut } from '@/api/schema';
import { FilterChoice, namedOptions } from '@/components/FilterChoice';
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
        onChange={(event) => onChange({ search: event.currentTarget.value })}
      />
      <FilterChoice
        label="Language"
        all="All languages"
        data={valuesOf(frameworks, (framework) => framework.language)}
        value={search.language}
        onChoose={(value) => onChange({ language: value })}
      />
      <FilterChoice
        label="Runtime"
        all="All runtimes"
        data={valuesOf(frameworks, runtimeOf)}
        value={search.runtime}
        onChoose={(value) => onChange({ runtime: value })}
      />
      <FilterChoice
        label="Concurrency"
        all="All kinds"
        data={plain(valuesOf(frameworks, (framework) => framework.concurrency))}
        value={search.concurrency}
        onChoose={(value) => onChange({ concurrency: value })}
      />
      <FilterChoice
        label="Scenario"
        all="All scenarios"
        data={namedOptions(scenarios)}
        value={search.scenario}
        onChoose={(value) => onChange({ scenario: value })}
      />
    </div>
  );
}
