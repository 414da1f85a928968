import {
  infiniteQueryOptions,
  queryOptions,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query';
import { asDone, client, unwrap } from './client';
import type {
  DeliveryOut,
  NewWebhookOut,
  WebhookEvent,
  WebhookIn,
  WebhookOut,
  WebhookPatch,
} from './schema';

export type { WebhookEvent };
export type Webhook = WebhookOut;
export type NewWebhook = NewWebhookOut;
export type Delivery = DeliveryOut;

/** The meaning of each event, in the order of the forms. */
export const EVENTS: readonly { event: WebhookEvent; meaning: string }[] = [
  { event: 'run.finished', meaning: 'A run finished' },
  { event: 'change.confirmed', meaning: 'A confirmation run confirmed a change' },
  { event: 'schedule.missed', meaning: 'A scheduled run has no result' },
];

const RENEW_MS = 15_000;
const PAGE = 10;

export const webhookQueries = {
  list: () =>
    queryOptions({
      queryKey: ['webhooks'],
      queryFn: ({ signal }) => unwrap(client.GET('/api/v1/webhooks', { signal })),
      select: (page): Webhook[] => page.items,
      refetchInterval: RENEW_MS,
    }),
  deliveries: (id: string) =>
    infiniteQueryOptions({
      queryKey: ['webhooks', id, 'deliveries'],
      queryFn: ({ signal, pageParam }) =>
        unwrap(
          client.GET('/api/v1/webhooks/{webhook_id}/deliveries', {
            params: {
              path: { webhook_id: id },
              query: { limit: PAGE, ...(pageParam && { cursor: pageParam }) },
            },
            signal,
          }),
        ),
      initialPageParam: '',
      getNextPageParam: (page) => page.next,
      refetchInterval: RENEW_MS,
    }),
};

export function useCreateWebhook() {
  return useWebhookMutation((body: WebhookIn) => unwrap(client.POST('/api/v1/webhooks', { body })));
}

export function useChangeWebhook(id: string) {
  return useWebhookMutation((body: WebhookPatch) =>
    unwrap(client.PATCH('/api/v1/webhooks/{webhook_id}', { ...at(id), body })),
  );
}

export function useDeleteWebhook(id: string) {
  return useWebhookMutation(() =>
    unwrap(client.DELETE('/api/v1/webhooks/{webhook_id}', at(id)).then(asDone)),
  );
}

export function useTestWebhook(id: string) {
  return useWebhookMutation(() =>
    unwrap(client.POST('/api/v1/webhooks/{webhook_id}/test', at(id))),
  );
}

export function useRedeliver(id: string) {
  return useWebhookMutation((deliveryId: string) =>
    unwrap(
      client.POST('/api/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver', {
        params: { path: { webhook_id: id, delivery_id: deliveryId } },
      }),
    ),
  );
}

function at(id: string) {
  return { params: { path: { webhook_id: id } } };
}

function useWebhookMutation<Asked, Answered>(ask: (asked: Asked) => Promise<Answered>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ask,
    onSettled: () => queries.invalidateQueries({ queryKey: ['webhooks'] }),
  });
}
