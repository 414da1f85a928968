import { ActionIcon, Text } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { frameworkQueries } from '@/api/frameworks';
import { metricQueries } from '@/api/metrics';
import { scenarioQueries } from '@/api/scenarios';
import { useAccess } from '@/api/session';
import { type Slo, sloQueries, useDeleteSlo } from '@/api/slos';
import { DenialNote } from '@/components/DenialNote';
import { Refusal } from '@/components/Refusal';
import { Loaded } from '@/components/States';
import { formatValue, words } from '@/lib/format';
import { SloForm } from './SloForm';
import classes from './SloList.module.css';

/** Lists all limits, with a form to add one. */
export function SloList() {
  const query = useQuery(sloQueries.list());
  const frameworks = useQuery(frameworkQueries.list()).data ?? [];
  const scenarios = useQuery(scenarioQueries.list()).data ?? [];
  const metrics = useQuery(metricQueries.list()).data ?? [];
  const remove = useDeleteSlo();
  const { isAllowed, denial } = useAccess('manage');
  const nameOf = (items: readonly { slug: string; name: string }[], slug: string) =>
    items.find((item) => item.slug === slug)?.name ?? slug;
  const describe = (slo: Slo) => {
    const metric =
      metrics.find((metric) => metric.metric === slo.metric)?.title ?? words(slo.metric);
    const sign = slo.direction === 'higher' ? 'at least' : 'at most';
    return `${metric} ${sign} ${formatValue(slo.limit, slo.unit)}`;
  };
  return (
    <Loaded query={query}>
      {(slos) => (
        <>
          {slos.length === 0 ? (
            <Text c="dimmed" my="md">
              No limits yet. Every run passes.
            </Text>
          ) : (
            <ul className={classes.list}>
              {slos.map((slo) => (
                <li key={slo.id} className={classes.row}>
                  <span>{describe(slo)}</span>
                  <span className={classes.quiet}>
                    {slo.framework === null ? 'every framework' : nameOf(frameworks, slo.framework)}{' '}
                    on {nameOf(scenarios, slo.scenario)}
                    {slo.profile !== null && `, ${slo.profile}`}
                  </span>
                  {isAllowed && (
                    <ActionIcon
                      variant="subtle"
                      color="gray"
                      aria-label={`Delete the limit: ${describe(slo)}`}
                      loading={remove.isPending && remove.variables === slo.id}
                      onClick={() => {
                        remove.mutate(slo.id);
                      }}
                    >
                      <IconTrash size={16} aria-hidden />
                    </ActionIcon>
                  )}
                </li>
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
