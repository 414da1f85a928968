/** The font families of the interface, for the theme and for the styles of the first paint. */

export const MONO = '"JetBrains Mono Variable", ui-monospace, "SF Mono", Menlo, monospace';
export const SANS = '"Inter Variable", system-ui, -apple-system, "Segoe UI", sans-serif';
