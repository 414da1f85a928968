import { Box } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Section } from '@/components/Page';
import ui from '@/components/ui.module.css';
import { openGuardsQuery } from './query';

/** Lists the guards that wait for a bench host or run there; nothing without any. */
export function OpenGuards() {
  const { data } = useQuery(openGuardsQuery());
  if (data === undefined || data.items.length === 0) return null;
  return (
    <Section title="On bench hosts now">
      <Box component="ul" className={ui.rows} mb="lg">
        {data.items.map(({ id, service, status, host, doing, waits_for: reason, requested_by }) => (
          <li key={id} className={ui.wraps}>
            {service}, {status} on {host}
            {(doing || reason) && `: ${doing || reason}`}{' '}
            <span className={ui.quiet}>by {requested_by}</span>
          </li>
        ))}
      </Box>
    </Section>
  );
}
