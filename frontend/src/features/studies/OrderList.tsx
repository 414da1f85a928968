import type { MetricInfo } from '@/api/metrics';
import type { StudyOrder } from '@/api/studies';
import classes from './OrderList.module.css';
import { Order } from './StudyTableView';

interface OrderListProps {
  orders: readonly StudyOrder[];
  metrics: readonly MetricInfo[];
}

/** Lists the orders of systems that are in separate tables. */
export function OrderList({ orders, metrics }: OrderListProps) {
  if (orders.length === 0) return null;
  const titles = new Map(metrics.map(({ metric, title }) => [metric, title]));
  return (
    <>
      <h3 className={classes.title}>Order across tables</h3>
      <ul className={classes.list}>
        {orders.map((order) => (
          <li key={`${order.label} ${order.metric}`} className={classes.item}>
            <span>
              {titles.get(order.metric) ?? order.metric}, {order.label}
            </span>
            {order.reason ? (
              <span className={classes.quiet}>{order.reason}</span>
            ) : (
              <Order order={order} />
            )}
          </li>
        ))}
      </ul>
    </>
  );
}
