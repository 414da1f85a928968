import { Box } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { FrameworkOut } from '@/api/schema';
import { MarkedName } from '@/components/Marker';
import ui from '@/components/ui.module.css';
import { formatCount, joinWords, words } from '@/lib/format';
import classes from './FrameworkList.module.css';

/** Lists frameworks by language, with versions and hosts where they cannot run. */
export function FrameworkList({ frameworks }: { frameworks: readonly FrameworkOut[] }) {
  const languages = [...new Set(frameworks.map((framework) => framework.language))].sort();
  return (
    <div className={classes.table} role="table" aria-label="Frameworks">
      {languages.map((language) => (
        <div key={language} role="rowgroup" className={classes.group}>
          <div role="row">
            <div role="rowheader">
              <Box component="h2" m="0 0 4px" fz="xs" fw={500} c="dimmed">
                {language}
              </Box>
            </div>
          </div>
          {frameworks
            .filter((framework) => framework.language === language)
            .map((framework) => (
              <Row key={framework.slug} framework={framework} />
            ))}
        </div>
      ))}
    </div>
  );
}

function Row({ framework }: { framework: FrameworkOut }) {
  const { slug, name, colour, versions, concurrency, scenarios, unavailable } = framework;
  const missing = Object.entries(unavailable).map(([host, reason]) => `${host}: ${reason}`);
  return (
    <div className={classes.row} role="row">
      <div role="cell">
        <Link to="/frameworks/$slug" params={{ slug }} className={ui.link}>
          <MarkedName name={name} colour={colour} />
        </Link>
      </div>
      <div role="cell">{[...new Set([versions.framework, versions.runtime])].join(' · ')}</div>
      <div role="cell" className={ui.quiet}>
        {words(concurrency)}
      </div>
      <div role="cell" className={ui.quiet}>
        {formatCount(scenarios.length, 'scenario')}
        {missing.length > 0 && <Box c="var(--tacho-warn)">cannot run on {joinWords(missing)}</Box>}
      </div>
    </div>
  );
}
