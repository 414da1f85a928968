import { Popover, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { docsQuery } from '@/lib/docs/lazy';
import { isExportedFile } from '@/lib/installation';
import { DocsHtml } from './DocsHtml';
import { Loaded, LoadingState } from './States';
import classes from './Words.module.css';

/** Terms of the glossary, and what texts that use them contain. */
export const WORDS: readonly (readonly [term: string, sign: RegExp])[] = [
  ['cannot be told apart yet', /cannot be told apart/],
  ['equivalent', /\bequivalent\b/],
  ['not comparable', /\b(not comparable|incomparable)\b/],
  ['confidence interval', /\[[^\]]*\d[^\]]*\]|\binterval\b/],
  ['percentile', /\bp\d\d\b|\bmedian\b/],
  ['rate sustained', /\bsustain/],
  ['steady state', /\bstead(y|iness)\b/],
  ['usable result', /\busable\b/],
  ['composite', /\bcomposite\b/i],
  ['claim', /\bclaims?\b/],
  ['trial', /\btrials?\b/],
];

/** Names the statistical words in these texts. Each opens its meaning of the glossary. */
export function Words({ texts }: { texts: readonly (string | false | null | undefined)[] }) {
  const text = texts.filter(Boolean).join(' ');
  const found = WORDS.filter(([, sign]) => sign.test(text));
  // An exported file has no documentation.
  if (found.length === 0 || isExportedFile()) return null;
  return (
    <p className={classes.words}>
      <span>What it means: </span>
      {found.map(([term]) => (
        <Word key={term} term={term} />
      ))}
    </p>
  );
}

function Word({ term }: { term: string }) {
  return (
    <Popover width={320} position="bottom-start" withArrow shadow="none">
      <Popover.Target>
        <UnstyledButton className={classes.word}>{term}</UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown className={classes.meaning}>
        <Meaning term={term} />
      </Popover.Dropdown>
    </Popover>
  );
}

function Meaning({ term }: { term: string }) {
  const query = useQuery(docsQuery);
  return (
    <Loaded query={query} loading={<LoadingState lines={2} />}>
      {({ terms }) => {
        const entry = terms.find((entry) => entry.term === term);
        return (
          <>
            <strong>{term}</strong>
            <DocsHtml html={entry?.meaning ?? ''} />
            <Link to="/docs/$" params={{ _splat: 'glossary' }} hash={entry?.section ?? ''}>
              Glossary
            </Link>
          </>
        );
      }}
    </Loaded>
  );
}
