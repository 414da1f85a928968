import { expect, it } from 'vitest';
import { toCsv } from './csv';

it('quotes where necessary, keeps full precision, and disarms formulas', () => {
  const rows = [
    ['a "b", c', 0.1234567890123],
    [null, '=1+1'],
  ] as const;
  expect(toCsv(['name', 'value'], rows)).toBe(
    'name,value\r\n"a ""b"", c",0.1234567890123\r\n,\'=1+1\r\n',
  );
});
