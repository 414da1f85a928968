import { Autocomplete, MultiSelect, Select } from '@mantine/core';
import { useState } from 'react';
import type { ChoiceOut, FrameworkOut, ScenarioOut } from '@/api/schema';
import { type ChoiceSearch, CRITERIA, setLoad, split, valueOf } from './criteria';
import classes from './Choose.module.css';

const MOST_FRAMEWORKS = 8;
const ALL_OF = 'language:';

interface ChoiceFormProps {
  search: ChoiceSearch;
  frameworks: readonly FrameworkOut[];
  scenarios: readonly ScenarioOut[];
  /** The answer to the present choice, with the loads and hosts that have results. */
  found: ChoiceOut | undefined;
  onChange: (change: ChoiceSearch) => void;
}

/** Asks what to choose from, for which work, and what matters. */
export function ChoiceForm({ search, frameworks, scenarios, found, onChange }: ChoiceFormProps) {
  const scenario = scenarios.find(({ slug }) => slug === search.scenario);
  return (
    <form
      className={classes.form}
      aria-label="Your choice"
      onSubmit={(event) => {
        event.preventDefault();
      }}
    >
      <Frameworks search={search} frameworks={frameworks} onChange={onChange} />
      <Select
        label="Kind of work"
        placeholder="Choose a scenario"
        data={scenarios.map(({ slug, name }) => ({ value: slug, label: name }))}
        value={search.scenario ?? null}
        allowDeselect={false}
        onChange={(value) => {
          if (value !== null) onChange({ scenario: value, load: undefined, host: undefined });
        }}
      />
      <MultiSelect
        className={classes.double}
        label="What matters, the most important first"
        placeholder={search.criteria === undefined ? 'All, latency first' : undefined}
        data={[...CRITERIA]}
        value={split(search.criteria)}
        clearable
        onChange={(values) => {
          onChange({ criteria: values.length === 0 ? undefined : values.join(',') });
        }}
      />
      {found !== undefined && (
        <>
          {found.parameters.map((parameter) => (
            <LoadValue
              // The field starts again with the value of another choice.
              key={`${parameter.name} ${valueOf(search.load, parameter.name)}`}
              parameter={parameter}
              value={valueOf(search.load, parameter.name)}
              onChange={(value) => {
                const load = setLoad(search.load, parameter.name, value);
                onChange({ load: load === '' ? undefined : load });
              }}
            />
          ))}
          <Select
            label="Machine"
            placeholder="No results yet"
            data={found.hosts}
            value={search.host ?? found.host}
            allowDeselect={false}
            onChange={(value) => {
              if (value !== null) onChange({ host: value });
            }}
          />
        </>
      )}
      {scenario !== undefined && <p className={classes.work}>{scenario.description}</p>}
    </form>
  );
}

type FrameworksProps = Pick<ChoiceFormProps, 'search' | 'frameworks' | 'onChange'>;

function Frameworks({ search, frameworks, onChange }: FrameworksProps) {
  const languages = [...new Set(frameworks.map(({ language }) => language))].sort();
  const chosen = split(search.frameworks);
  const isOfLanguage = search.language !== undefined;
  return (
    <MultiSelect
      className={classes.wide}
      label="Among"
      placeholder={chosen.length > 0 || isOfLanguage ? undefined : 'Two to eight frameworks'}
      searchable
      clearable
      hidePickedOptions
      maxValues={isOfLanguage ? 1 : MOST_FRAMEWORKS}
      data={[
        {
          group: 'All of a language',
          items: languages.map((language) => ({
            value: ALL_OF + language,
            label: `All of ${language}`,
          })),
        },
        ...languages.map((language) => ({
          group: language,
          items: frameworks
            .filter((framework) => framework.language === language)
            .map(({ slug, name }) => ({ value: slug, label: name })),
        })),
      ]}
      value={isOfLanguage ? [`${ALL_OF}${search.language ?? ''}`] : chosen}
      onChange={(values) => {
        const language = values.find((value) => value.startsWith(ALL_OF));
        onChange({
          language: language?.slice(ALL_OF.length),
          frameworks: language !== undefined || values.length === 0 ? undefined : values.join(','),
        });
      }}
    />
  );
}

interface LoadValueProps {
  parameter: ChoiceOut['parameters'][number];
  value: string;
  onChange: (value: string) => void;
}

/** A number that was measured, or another one; empty for any. */
function LoadValue({ parameter, value, onChange }: LoadValueProps) {
  const [typed, setTyped] = useState(value);
  const isNumber = /^\d{0,9}$/.test(typed);
  const finish = () => {
    if (isNumber && typed !== value) onChange(typed);
  };
  return (
    <Autocomplete
      label={parameter.unit === '' ? parameter.title : `${parameter.title} (${parameter.unit})`}
      placeholder="Any"
      inputMode="numeric"
      data={parameter.values.map(String)}
      // All measured values stay visible while one of them is chosen.
      filter={({ options }) => options}
      value={typed}
      error={isNumber ? undefined : 'Write a whole number.'}
      onChange={setTyped}
      onOptionSubmit={onChange}
      onBlur={finish}
      onKeyDown={(event) => {
        if (event.key === 'Enter') finish();
      }}
    />
  );
}
