/** Where a browser or a script fetches a snapshot. */
export function comparisonExportUrl(hash: string, format: 'json' | 'csv' | 'md'): string {
  return `/api/v1/comparisons/${hash}/export.${format}`;
}
