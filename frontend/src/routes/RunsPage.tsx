import { Group, VisuallyHidden } from '@mantine/core';
import { keepPreviousData } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api } from '@/api/client';
import type { RunListItem } from '@/api/schema';
import { LinkButton } from '@/components/LinkButton';
import { PageHeader } from '@/components/Page';
import { EmptyState, Loaded } from '@/components/States';
import { isFiltered, type RunSearch, toRunQuery } from '@/features/runs/query';
import { RunFilters } from '@/features/runs/RunFilters';
import { RunRows } from '@/features/runs/RunList';
import classes from './RunsPage.module.css';

const route = getRouteApi('/runs');

/** All runs that the viewer sees, with filters. The URL holds filters, order and page. */
export function RunsPage(): ReactNode {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const query = api.useQuery(
    'get',
    '/api/v1/runs',
    { params: { query: toRunQuery(search) } },
    { placeholderData: keepPreviousData },
  );
  return (
    <>
      <PageHeader
        title="Runs"
        meta="Every run has a permanent link, and so has this list."
        actions={
          <>
            <Link to="/queue">Queue</Link>
            <Link to="/hosts">Hosts</Link>
          </>
        }
      />
      <RunFilters
        search={search}
        onChange={(change) =>
          void navigate({
            // Another list begins with its first page.
            search: (now) => ({ ...now, cursor: undefined, ...change }),
            replace: true,
            resetScroll: false,
          })
        }
      />
      <Loaded
        query={query}
        missing={<NoMatch search={search} reason={query.error?.message ?? ''} />}
      >
        {({ items, next }) => (
          <>
            <VisuallyHidden component="h2">Found runs</VisuallyHidden>
            {items.length === 0 ? (
              <NoRuns search={search} />
            ) : (
              <RunRows runs={items} facts={(run) => <Facts run={run} search={search} />} />
            )}
            <Pages search={search} next={next ?? undefined} />
          </>
        )}
      </Loaded>
    </>
  );
}

/** Shows where and by whom a run was requested. Each leads to the other runs there. */
function Facts({ run, search }: { run: RunListItem; search: RunSearch }) {
  const { host, requested_by: person } = run;
  return (
    <div className={classes.facts}>
      <Link to="/runs" search={{ ...search, host, cursor: undefined }}>
        {host}
      </Link>
      {person && (
        <>
          {' · '}
          <Link to="/runs" search={{ ...search, requested_by: person, cursor: undefined }}>
            {person}
          </Link>
        </>
      )}
    </div>
  );
}

function NoRuns({ search }: { search: RunSearch }) {
  if (!isFiltered(search)) {
    const plan = <LinkButton to="/runs/new">Plan a run</LinkButton>;
    return (
      <EmptyState title="No runs yet" action={plan}>
        A run compares frameworks, and gets a permanent link.
      </EmptyState>
    );
  }
  return <NoMatch search={search} reason="Change the filters, or clear them." />;
}

function NoMatch({ search, reason }: { search: RunSearch; reason: string }) {
  const clear = (
    <LinkButton to="/runs" search={{ sort: search.sort }}>
      Clear filters
    </LinkButton>
  );
  return (
    <EmptyState title="No run matches" action={clear}>
      {reason}
    </EmptyState>
  );
}

function Pages({ search, next }: { search: RunSearch; next: string | undefined }) {
  if (search.cursor === undefined && next === undefined) return null;
  return (
    <Group
      component="nav"
      gap="xs"
      align="normal"
      wrap="nowrap"
      mt="md"
      aria-label="Pages of the list"
    >
      {search.cursor !== undefined && (
        <PageLink label="First page" search={{ ...search, cursor: undefined }} />
      )}
      {next !== undefined && <PageLink label="Next page" search={{ ...search, cursor: next }} />}
    </Group>
  );
}

function PageLink({ label, search }: { label: string; search: RunSearch }) {
  return (
    <LinkButton to="/runs" search={search}>
      {label}
    </LinkButton>
  );
}
