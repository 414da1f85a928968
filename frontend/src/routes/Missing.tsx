import { Box, Button, Group } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api } from '@/api/client';
import { canSignIn } from '@/api/session';
import { LinkButton } from '@/components/LinkButton';
import { Marker } from '@/components/Marker';
import { PageHeader, Section } from '@/components/Page';
import { SignInLink } from '@/components/SignInLink';
import { EmptyState } from '@/components/States';
import ui from '@/components/ui.module.css';
import { listNearItems, type Noun } from '@/features/palette/near-items';
import { usePaletteItems } from '@/features/palette/usePaletteItems';
import { RunList } from '@/features/runs/RunList';
import { useDocumentTitle } from '@/lib/hooks';
import { openPalette } from '@/lib/palette';
import classes from './Missing.module.css';

/** Possible reasons, and what to do. */
const WHY: Record<Noun, string> = {
  page: 'Check the URL for a missing or wrong word.',
  run: 'Check that the link is complete: a run’s slug has ten characters. Private runs are visible only to signed-in members.',
  'run group':
    'Check that the link is complete: a group’s slug has ten characters. Private runs are visible only to signed-in members.',
  framework: 'It may have been renamed, or its folder removed from the catalogue.',
  scenario: 'It may have been renamed, or its folder removed from the catalogue.',
  study: 'It may have been renamed, or its file removed from the catalogue.',
  host: 'A bench host is registered when its worker starts for the first time.',
  snapshot:
    'A snapshot is found by the 64 characters of its hash. Check that the link is complete. Snapshots of another installation are only available there.',
  change:
    'Check that the link is complete. Changes between private or unlisted runs are visible only to signed-in members.',
  incident:
    'Check that the link is complete. An incident disappears when its changes turn out to belong to another incident. Those between private or unlisted runs are visible only to signed-in members.',
  schedule: 'It may have been deleted.',
  guard:
    'It may have been deleted. Check that the link is complete. Guards are visible only to signed-in members.',
};

/** Items that may be visible only to members. */
const MAY_BE_PRIVATE: ReadonlySet<Noun> = new Set([
  'run',
  'run group',
  'snapshot',
  'change',
  'incident',
  'schedule',
  'guard',
]);

/** Items that only members see, if they are not runs. */
const PRIVATE_ITEMS: Partial<Record<Noun, string>> = {
  schedule: 'private schedules',
  guard: 'guards',
};

interface MissingProps {
  noun: Noun;
  /** The name in the URL. */
  asked: string;
}

/** Page for items that do not exist, with similar names, search and the newest runs. */
export function Missing({ noun, asked }: MissingProps): ReactNode {
  useDocumentTitle('Not found');
  const { items } = usePaletteItems('');
  const near = listNearItems(noun, asked, items);
  const session = api.useQuery('get', '/api/v1/session');
  const maySignIn =
    MAY_BE_PRIVATE.has(noun) && session.data?.proof === null && canSignIn(session.data);
  return (
    <>
      <PageHeader
        title={
          noun === 'page' ? (
            'Page not found'
          ) : (
            <>
              There is no {noun}{' '}
              <Box component="span" ff="monospace" fz="0.86em" fw={500} lts={0} className="wraps">
                {asked}
              </Box>
            </>
          )
        }
        meta={
          <Box component="p" m={0} maw="68ch">
            {noun === 'page' && (
              <>
                <code>{asked}</code> does not exist.{' '}
              </>
            )}
            {WHY[noun]}
          </Box>
        }
      />
      <Group gap="xs">
        {maySignIn && (
          <SignInLink size="sm" label={`Sign in to see ${PRIVATE_ITEMS[noun] ?? 'private runs'}`} />
        )}
        <Button
          variant={maySignIn ? 'default' : 'filled'}
          leftSection={<IconSearch size={16} aria-hidden />}
          onClick={() => openPalette()}
        >
          Search Tacho
        </Button>
        <LinkButton size="sm" to="/">
          Go to overview
        </LinkButton>
      </Group>
      {near.length > 0 && (
        <Section title="Did you mean">
          <ul className={classes.near}>
            {near.map(({ id, href, label, hint, group, colour }) => (
              <li key={id}>
                {colour !== undefined && <Marker colour={colour} />}
                <Link to={href}>{label}</Link>
                <span className={ui.quiet}>
                  {hint ?? (group === 'Pages' ? 'page' : group.toLowerCase())}
                </span>
              </li>
            ))}
          </ul>
        </Section>
      )}
      <Section title="Newest runs" actions={<Link to="/runs">All runs</Link>}>
        <RunList
          filter={{ scheduled: false }}
          limit={5}
          empty={<EmptyState title="No runs yet">Every run gets a permanent link.</EmptyState>}
        />
      </Section>
    </>
  );
}
