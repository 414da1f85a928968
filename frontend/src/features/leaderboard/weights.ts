/** Reads and writes the weights of a composite in the URL: `cpu_us_per_request:2,boot_ms:1`; pure. */

export type Weights = readonly (readonly [metric: string, weight: number])[];

export function parseWeights(text: string | undefined): Weights {
  return (text ?? '').split(',').flatMap((part): [string, number][] => {
    const [metric = '', weight = '1'] = part.split(':');
    const figure = Number(weight);
    return metric !== '' && figure > 0 ? [[metric, figure]] : [];
  });
}

export function formatWeights(weights: Weights): string {
  return weights.map(([metric, weight]) => `${metric}:${weight}`).join(',');
}
