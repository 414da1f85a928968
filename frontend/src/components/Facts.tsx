import type { ReactNode } from 'react';
import { formatCount } from '@/lib/format';
import classes from './Facts.module.css';

/** Lists names and values; null values are left out. */
export function Facts({ facts }: { facts: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className={classes.facts}>
      {facts.map(([name, value]) =>
        value === null || value === undefined || value === '' ? null : (
          <div key={name} className={classes.fact} data-wide={isLong(value)}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}

interface FoldableFact {
  name: string;
  value: string;
  parts?: readonly (readonly [string, string])[];
}

/** Return a fact for the list; many values under one name are collapsed. */
export function shownFact({ name, value, parts }: FoldableFact): readonly [string, ReactNode] {
  return [name, parts === undefined ? value : <Folded key={name} parts={parts} />];
}

function Folded({ parts }: { parts: readonly (readonly [string, string])[] }) {
  return (
    <details className={classes.folded}>
      <summary>{formatCount(parts.length, 'entry', 'entries')}</summary>
      <ul>
        {parts.map(([name, value]) => (
          <li key={name}>
            {name}: <span>{value}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}

const LONG = 80;

function isLong(value: ReactNode): boolean {
  return typeof value === 'string' && value.length > LONG;
}
