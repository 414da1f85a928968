/** Guards of own services. */
import type {
  CommitChangeOut,
  CommitPointOut,
  GuardedLoad,
  GuardedMetric,
  GuardedServiceOut,
  GuardOut,
  GuardReport,
  GuardRequestOut,
  GuardSummaryOut,
  ServiceHistoryOut,
} from '@/api/schema';
import type { DocumentAt } from '@/testing/api';
import { AT, digestOf, page } from './builders';

/** Return a metric that a change made worse. */
export function changeOf(part: Partial<GuardedMetric> = {}): GuardedMetric {
  return {
    metric: 'cpu_us_per_request',
    state: 'worse',
    limit: 0.03,
    pairs: 9,
    ratio: 1.079,
    low: 1.061,
    high: 1.098,
    base: 1000,
    head: 1079,
    visible: 0.026,
    base_against_itself: { ratio: 1.002, low: 0.99, high: 1.014 },
    less_is_worse: false,
    ...part,
  };
}

/** Return a metric that is not decided. */
export function unknownOf(part: Partial<GuardedMetric> = {}): GuardedMetric {
  return changeOf({
    state: 'unknown',
    ratio: null,
    base: null,
    head: null,
    low: 0.982,
    high: 1.061,
    pairs_needed: 22,
    ...part,
  });
}

export function loadOf(part: Partial<GuardedLoad> = {}): GuardedLoad {
  return {
    load: 'checkout',
    engine: "Tacho's sender",
    responses: { compared: 40, equal: 40, differences: [] },
    pairs: 9,
    changes: [changeOf()],
    ...part,
  };
}

export function reportOf(part: Partial<GuardReport> = {}): GuardReport {
  return {
    service: 'shop',
    base: {
      name: 'origin/main',
      commit: digestOf('base').slice(0, 40),
      title: 'Cache the price list',
      build: digestOf('built base'),
    },
    head: { name: 'the working tree', commit: null, title: '', build: digestOf('built head') },
    loads: [loadOf()],
    host: 'bench-01',
    runtime: 'docker',
    minutes: 10.7,
    most_minutes: 15,
    warnings: [],
    command: 'tacho guard --base 6261736500 --seed 7',
    history: null,
    ...part,
  };
}

/** Return a guard that found a slower service, as a list shows it. */
export function guardItem(part: Partial<GuardSummaryOut> = {}): GuardSummaryOut {
  const slug = part.slug ?? 'k3v9q2mx4d';
  return {
    slug,
    permalink: `/guards/${slug}`,
    service: 'shop',
    verdict: 'slower',
    headline: 'Slower, confirmed: CPU per request +7.9 % (+6.1 to +9.8) on checkout',
    created_at: AT,
    requested_by: 'ada@example.org',
    ...part,
  };
}

export function guardOf(report: GuardReport, part: Partial<GuardOut> = {}): GuardOut {
  return {
    ...guardItem({ service: report.service }),
    lines: ['9 pairs of trials, interleaved, 11 min; load by Tacho’s sender.'],
    differences: [],
    report,
    ...part,
  };
}

/** Return a service with its newest guard. */
export function serviceOf(part: Partial<GuardedServiceOut> = {}): GuardedServiceOut {
  const { slug, permalink, service, verdict, headline, created_at } = guardItem();
  return { service, guards: 2, slug, permalink, verdict, headline, created_at, ...part };
}

/** Return a commit whose CPU time per request differs from the reference by a ratio. */
export function commitOf(
  title: string,
  ratio: number,
  step: CommitChangeOut['step'] = null,
  confirmed_by: string | null = null,
): CommitPointOut {
  const slug = title.toLowerCase().replaceAll(' ', '-');
  const change = changeOf({ ratio, low: ratio - 0.01, high: ratio + 0.01 });
  return {
    slug,
    permalink: `/guards/${slug}`,
    measured_at: AT,
    head: { name: 'HEAD', commit: digestOf(title).slice(0, 40), title },
    changes: [{ load: 'checkout', change, step, confirmed_by }],
  };
}

/** Return a history with two steps. Only the first is confirmed. */
export function historyOf(part: Partial<ServiceHistoryOut> = {}): ServiceHistoryOut {
  return {
    reference: { name: 'v1.4', commit: digestOf('v1.4').slice(0, 40), title: 'Release' },
    host: 'bench-01',
    runtime: 'docker',
    points: [
      commitOf('Cache prices', 1.0),
      commitOf('Sort twice', 1.2, 'worse', 'k3v9q2mx4d'),
      commitOf('Sort once', 1.01, 'better'),
    ],
    ...part,
  };
}

export const noHistory: DocumentAt<'/api/v1/guards/history'> = page();

export const guard: DocumentAt<'/api/v1/guards/{slug}'> = guardOf(reportOf());

export const guards: DocumentAt<'/api/v1/guards'> = page(
  guardItem(),
  guardItem({
    slug: 'a1b2c3d4e5',
    service: 'search',
    verdict: 'no_difference',
    headline: 'No difference above 3 % in any measured metric',
  }),
);

export const services: DocumentAt<'/api/v1/guards/services'> = page(
  serviceOf({
    service: 'search',
    guards: 1,
    slug: 'a1b2c3d4e5',
    permalink: '/guards/a1b2c3d4e5',
    verdict: 'no_difference',
    headline: 'No difference above 3 % in any measured metric',
  }),
  serviceOf(),
);

/** Return a guard that a bench host runs. */
export function openGuardOf(part: Partial<GuardRequestOut> = {}): GuardRequestOut {
  const { base, head } = reportOf();
  return {
    id: '0197b3c4-5d6e-7f80-9a1b-2c3d4e5f6071',
    service: 'shop',
    status: 'running',
    host: 'bench-01',
    waits_for: '',
    base,
    head,
    progress: [],
    doing: 'checkout: pair 3 of at most 20, head; 2 of at most 15 min',
    failure: null,
    slug: null,
    permalink: null,
    created_at: AT,
    requested_by: 'ada@example.org',
    ...part,
  };
}

export const openGuards: DocumentAt<'/api/v1/guards/requests'> = page();
