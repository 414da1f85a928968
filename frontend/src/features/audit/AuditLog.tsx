import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { auditExportUrl, type AuditFilter, toAuditQuery } from '@/api/audit';
import { api, PAGES } from '@/api/client';
import { NextPage } from '@/components/NextPage';
import { Section } from '@/components/Page';
import { EmptyState, Loaded } from '@/components/States';
import { AuditFilters } from './AuditFilters';
import { AuditTable } from './AuditTable';

const PAGE_LENGTH = 50;

interface AuditLogProps {
  filter: AuditFilter;
  onFilter: (filter: AuditFilter) => void;
  /** Whether to show the changes that belong to no workspace. */
  installation?: boolean;
}

/** The audit log with filters and exports. */
export function AuditLog({ filter, onFilter, installation = false }: AuditLogProps) {
  const query = api.useInfiniteQuery(
    'get',
    installation ? '/api/v1/installation-audit' : '/api/v1/audit',
    { params: { query: { ...toAuditQuery(filter), limit: PAGE_LENGTH } } },
    PAGES,
  );
  return (
    <Section
      title="Audit log"
      hint={
        installation
          ? 'Changes of users and workspaces, newest first.'
          : 'Every change in this workspace, newest first.'
      }
      actions={(['csv', 'json'] as const).map((format) => (
        <Button
          key={format}
          size="xs"
          variant="default"
          component="a"
          href={auditExportUrl(filter, installation, format)}
          download
          leftSection={<IconDownload size={14} aria-hidden />}
        >
          {format.toUpperCase()}
        </Button>
      ))}
    >
      <AuditFilters filter={filter} onChange={onFilter} />
      <Loaded query={query}>
        {({ pages }) => {
          const events = pages.flatMap((page) => page.items);
          if (events.length > 0) return <AuditTable events={events} />;
          return Object.values(filter).some(Boolean) ? (
            <EmptyState title="No entry matches">Change or clear the filters.</EmptyState>
          ) : (
            <EmptyState title="No entries yet">Each change adds an entry.</EmptyState>
          );
        }}
      </Loaded>
      <NextPage query={query} label="Show earlier entries" />
    </Section>
  );
}
