/** Return parameters by their names, such as `size bytes 50, delay ms 1000`. */
export function showParameters(parameters: Readonly<Record<string, number>>): string {
  return Object.entries(parameters)
    .map(([name, value]) => `${name.replaceAll('_', ' ')} ${String(value)}`)
    .join(', ');
}
