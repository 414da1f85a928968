import type { Metric } from '@/api/schema';

/** Selection on the page of a result, which is part of the URL. */
export interface ResultSelection {
  metric?: Metric | undefined;
  /** Framework that ratios refer to; the best by default. */
  baseline?: string | undefined;
  group?: string | undefined;
  /** Frameworks shown in the charts, separated by commas; empty for all. */
  only?: string | undefined;
  /** `no` hides the warm-up. */
  warm_up?: 'no' | undefined;
}
