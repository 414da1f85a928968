/** The key of a heat map: how strongly which counts are drawn; pure. */
import { strengthOf } from './heat';

export interface KeyStep {
  count: number;
  strength: number;
}

const STEPS = 6;

/** Return counts from 1 to the highest, at equal distances of strength. */
export function keySteps(most: number): KeyStep[] {
  const counts = Array.from({ length: STEPS }, (_, step) =>
    Math.round(Math.expm1(Math.log1p(most) * ((step + 1) / STEPS))),
  );
  const distinct = [...new Set([1, ...counts.map((count) => Math.max(1, count))])];
  return distinct.map((count) => ({ count, strength: strengthOf(count, most) }));
}
