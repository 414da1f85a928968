import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';
import type { AuditFilter } from '@/api/audit';
import { FoldedFilters } from '@/components/FoldedFilters';
import classes from './Audit.module.css';

const TEXTS = [
  { name: 'actor', label: 'Who', placeholder: 'ada@example.org' },
  { name: 'action', label: 'Action', placeholder: 'run.created' },
  { name: 'subject', label: 'Subject', placeholder: 'run' },
] as const;

const DAYS = [
  { name: 'since', label: 'From' },
  { name: 'until', label: 'To' },
] as const;

const TYPING_MS = 300;

interface AuditFiltersProps {
  filter: AuditFilter;
  onChange: (filter: AuditFilter) => void;
}

/** Filters of the audit log. Text is applied when typing pauses. */
export function AuditFilters({ filter, onChange }: AuditFiltersProps) {
  const [typed, setTyped] = useState(filter);
  const apply = useDebouncedCallback(onChange, TYPING_MS);
  const change = (name: keyof AuditFilter, value: string) => {
    const next = { ...typed, [name]: value };
    setTyped(next);
    apply(next);
  };
  return (
    <FoldedFilters summary={Object.values(filter)}>
      <div className={classes.filters} role="search" aria-label="Filters">
        {TEXTS.map(({ name, label, placeholder }) => (
          <TextInput
            key={name}
            size="xs"
            label={label}
            placeholder={placeholder}
            value={typed[name] ?? ''}
            onChange={(event) => change(name, event.currentTarget.value)}
          />
        ))}
        {DAYS.map(({ name, label }) => (
          <TextInput
            key={name}
            size="xs"
            type="date"
            label={label}
            value={typed[name] ?? ''}
            onChange={(event) => change(name, event.currentTarget.value)}
          />
        ))}
      </div>
    </FoldedFilters>
  );
}
