import { Box } from '@mantine/core';
import type { MetricOut, OrderOut } from '@/api/schema';
import ui from '@/components/ui.module.css';
import { formatCount } from '@/lib/format';
import classes from './OrderList.module.css';
import { Order } from './StudyTableView';

interface OrderListProps {
  orders: readonly OrderOut[];
  metrics: readonly MetricOut[];
}

/** Lists the orders of systems that are in separate tables. Those without a coefficient are folded. */
export function OrderList({ orders, metrics }: OrderListProps) {
  if (orders.length === 0) return null;
  const known = orders.filter((order) => !order.reason);
  const unknown = orders.filter((order) => order.reason);
  return (
    <>
      <Box component="h3" m="0 0 4px" fz="lg" fw={600}>
        Order across tables
      </Box>
      {known.length > 0 && <Items orders={known} metrics={metrics} />}
      {unknown.length > 0 && (
        <details className={classes.unknown}>
          <summary>{formatCount(unknown.length, 'order')} cannot be compared</summary>
          <Items orders={unknown} metrics={metrics} />
        </details>
      )}
    </>
  );
}

function Items({ orders, metrics }: OrderListProps) {
  const titles = new Map(metrics.map(({ metric, title }) => [metric, title]));
  return (
    <ul className={classes.list}>
      {orders.map((order) => (
        <li key={`${order.label} ${order.metric}`} className={classes.item}>
          <span>
            {titles.get(order.metric) ?? order.metric}, {order.label}
          </span>
          {order.reason ? (
            <span className={ui.quiet}>{order.reason}</span>
          ) : (
            <Order order={order} />
          )}
        </li>
      ))}
    </ul>
  );
}
