/** `size bytes 50, delay ms 1000`: parameters by their own names. */
export function showParameters(parameters: Readonly<Record<string, number>>): string {
  return Object.entries(parameters)
    .map(([name, value]) => `${name.replaceAll('_', ' ')} ${String(value)}`)
    .join(', ');
}
