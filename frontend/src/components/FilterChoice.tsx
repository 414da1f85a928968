import { Select } from '@mantine/core';

export interface FilterChoiceProps {
  label: string;
  /** Shown while nothing is selected. */
  all?: string;
  data: readonly (string | { value: string; label: string })[];
  value: string | undefined;
  searchable?: boolean;
  /** Receives the empty text when the filter is cleared. */
  onChoose: (value: string) => void;
}

/** A filter with a few values, which can be cleared. */
export function FilterChoice(props: FilterChoiceProps) {
  const { label, all = 'Any', data, value, searchable = false, onChoose } = props;
  // A link may name something that is not offered.
  const isOffered = data.some(
    (option) => value === (typeof option === 'string' ? option : option.value),
  );
  return (
    <Select
      label={label}
      placeholder={all}
      data={value && !isOffered ? [value, ...data] : data}
      value={value === undefined || value === '' ? null : value}
      clearable
      searchable={searchable}
      onChange={(next) => onChoose(next ?? '')}
    />
  );
}

/** Return the options of a list of frameworks or scenarios. */
export function namedOptions(items: readonly { slug: string; name: string }[] | undefined) {
  return (items ?? []).map(({ slug, name }) => ({ value: slug, label: name }));
}
