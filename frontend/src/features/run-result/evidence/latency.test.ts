import { expect, it } from 'vitest';
import { latency } from '@/testing/documents/trials';
import { describeLatency } from './Evidence';

it('names the moment from which a latency counts, and the service time next to it', () =>
  expect(
    describeLatency({
      ...latency,
      counted_from: 'due time',
      percentiles: [
        { quantile: 0.5, latency_ms: 2 },
        { quantile: 0.99, latency_ms: 90 },
      ],
      service_percentiles: [{ quantile: 0.5, latency_ms: 1 }],
    }),
  ).toBe('from the due time p50 2\u202fms, p99 90\u202fms; from the send p50 1\u202fms'));

it('has one curve if latency counts from the send', () =>
  expect(
    describeLatency({
      ...latency,
      counted_from: 'send',
      percentiles: [{ quantile: 0.5, latency_ms: 2 }],
      service_percentiles: [],
    }),
  ).toBe('from the send p50 2\u202fms'));
