/** What a visitor has selected on a result's page. The page's URL holds it. */
export interface ResultSelection {
  metric?: string | undefined;
  /** Framework that ratios refer to; the best by default. */
  baseline?: string | undefined;
  group?: string | undefined;
  /** Frameworks shown in the charts, separated by commas; empty for all. */
  only?: string | undefined;
  /** `no` hides the warm-up. */
  warm_up?: 'no' | undefined;
}
