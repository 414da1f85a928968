/** The font families of the interface, for the theme and for the styles of the first paint. */

export const MONO = '"JetBrains Mono Variable", ui-monospace, "SF Mono", Menlo, monospace';
/** app/global.css defines the second one. */
export const SANS =
  '"Inter Variable", "Inter Fallback", system-ui, -apple-system, "Segoe UI", sans-serif';
