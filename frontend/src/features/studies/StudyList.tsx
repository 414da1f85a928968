import { Group, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { StudyListItem } from '@/api/schema';
import { Marker } from '@/components/Marker';
import ui from '@/components/ui.module.css';
import { formatCount } from '@/lib/format';
import classes from './StudyList.module.css';

/** Lists studies with their frameworks and reproductions. */
export function StudyList({ studies }: { studies: readonly StudyListItem[] }) {
  return (
    <ul className={ui.rows}>
      {studies.map((study) => (
        <li key={study.slug} className={classes.item}>
          <div>
            <Title order={2}>
              <Link to="/studies/$slug" params={{ slug: study.slug }} className={ui.link}>
                {study.name}
              </Link>
            </Title>
            <p className={classes.by}>
              {[...study.authors, study.kind, study.year].filter(Boolean).join(' · ')}
            </p>
            <p className={classes.text}>{study.description}</p>
            <Group component="p" gap="4px 16px" align="normal" c="dimmed">
              {study.frameworks.map((framework) => (
                <span key={framework.slug} className={ui.inline}>
                  <Marker colour={framework.colour} size={10} /> {framework.name}
                </span>
              ))}
            </Group>
          </div>
          <dl className={classes.figures}>
            <div>
              <dt>Published numbers</dt>
              <dd>{study.figures === 0 ? 'pictures' : study.figures}</dd>
            </div>
            <div>
              <dt>Claims</dt>
              <dd>{study.claims}</dd>
            </div>
            <div>
              <dt>Reproductions</dt>
              <dd>
                {study.reproductions === 0 ? 'none yet' : formatCount(study.reproductions, 'run')}
              </dd>
            </div>
          </dl>
        </li>
      ))}
    </ul>
  );
}
