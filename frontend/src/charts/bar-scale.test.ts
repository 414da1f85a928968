import { expect, it } from 'vitest';
import { scaleEnd } from './bar-scale';
import cases from './bar-scale-cases.json';

it.each(cases)('scales to $name', ({ bars, end }) => expect(scaleEnd(bars)).toBe(end));
