import { Box } from '@mantine/core';
import type { StudyOut } from '@/api/schema';
import { formatCount } from '@/lib/format';
import classes from './Differences.module.css';

/** Lists how a reproduction differs from the study, and why; folded. */
export function Differences({ study }: { study: StudyOut }) {
  const notes = study.systems.filter((system) => system.note ?? system.wanted);
  return (
    <details className={classes.differences}>
      <summary>{formatCount(study.differences.length, 'difference')} from the study</summary>
      <dl>
        {study.differences.map(({ topic, study: published, here, reason }) => (
          <div key={topic} className={classes.difference}>
            <dt>{topic}</dt>
            <dd>
              <Box component="span" fz="xs" lh="20px">
                Study
              </Box>{' '}
              {published}
            </dd>
            <dd>
              <Box component="span" fz="xs" lh="20px">
                Here
              </Box>{' '}
              {here}
            </dd>
            <dd>
              <Box component="span" fz="xs" lh="20px">
                Reason
              </Box>{' '}
              {reason}
            </dd>
          </div>
        ))}
        {notes.map((system) => (
          <div key={system.name} className={classes.difference}>
            <dt>{system.name}</dt>
            <dd>{system.note ?? `${system.wanted ?? ''} is not in this catalogue yet.`}</dd>
          </div>
        ))}
      </dl>
      {study.source.host && <p>The study measured on {study.source.host}.</p>}
    </details>
  );
}
