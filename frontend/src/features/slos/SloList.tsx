import { ActionIcon, Text } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { api } from '@/api/client';
import type { SloOut } from '@/api/schema';
import { useAccess } from '@/api/session';
import { DenialNote } from '@/components/DenialNote';
import { Refusal } from '@/components/Refusal';
import { Row } from '@/components/Row';
import { Loaded } from '@/components/States';
import ui from '@/components/ui.module.css';
import { formatValue, words } from '@/lib/format';
import { showParameter } from '@/lib/parameters';
import { SloForm } from './SloForm';

/** Lists all limits, with a form to add one. */
export function SloList() {
  const query = api.useQuery('get', '/api/v1/slos');
  const frameworks = api.useQuery('get', '/api/v1/frameworks').data?.items ?? [];
  const scenarios = api.useQuery('get', '/api/v1/scenarios').data?.items ?? [];
  const metrics = api.useQuery('get', '/api/v1/metrics').data?.items ?? [];
  const remove = api.useMutation('delete', '/api/v1/slos/{slo_id}');
  const { isAllowed, denial } = useAccess('manage');
  const nameOf = (items: readonly { slug: string; name: string }[], slug: string) =>
    items.find((item) => item.slug === slug)?.name ?? slug;
  const describe = (slo: SloOut) => {
    const metric =
      metrics.find((metric) => metric.metric === slo.metric)?.title ?? words(slo.metric);
    const sign = slo.direction === 'higher' ? 'at least' : 'at most';
    return `${metric} ${sign} ${formatValue(slo.limit, slo.unit)}`;
  };
  return (
    <Loaded query={query}>
      {({ items: slos }) => (
        <>
          {slos.length === 0 ? (
            <Text c="dimmed" my="md">
              No limits yet. Every run passes.
            </Text>
          ) : (
            <ul className={ui.rows} style={{ marginBottom: 16 }}>
              {slos.map((slo) => (
                <Row
                  key={slo.id}
                  columns="minmax(200px, 1fr) minmax(160px, 1fr) auto"
                  narrow="1fr auto"
                >
                  <span>{describe(slo)}</span>
                  <span className={ui.quiet}>
                    {slo.framework === null ? 'every framework' : nameOf(frameworks, slo.framework)}{' '}
                    on {nameOf(scenarios, slo.scenario)}
                    {describeLoad(slo)}
                  </span>
                  {isAllowed && (
                    <ActionIcon
                      variant="subtle"
                      color="gray"
                      aria-label={`Delete the limit: ${describe(slo)}`}
                      loading={remove.isPending && remove.variables.params.path.slo_id === slo.id}
                      onClick={() => remove.mutate({ params: { path: { slo_id: slo.id } } })}
                    >
                      <IconTrash size={16} aria-hidden />
                    </ActionIcon>
                  )}
                </Row>
              ))}
            </ul>
          )}
          {remove.error && <Refusal error={remove.error} />}
          <DenialNote denial={denial} action="set limits" />
          {isAllowed && <SloForm frameworks={frameworks} scenarios={scenarios} metrics={metrics} />}
        </>
      )}
    </Loaded>
  );
}

/** Return the profile and the values of the load, each after a comma; empty for every load. */
function describeLoad({ profile, parameters }: SloOut): string {
  const values = Object.entries(parameters).map(([name, value]) => showParameter(name, value));
  return [...(profile === null ? [] : [profile]), ...values].map((part) => `, ${part}`).join('');
}
