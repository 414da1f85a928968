/** Results ticked to compare, as an address holds them: ids of cells, by comma; pure. */

export function readPicked(picked: string | undefined): readonly string[] {
  return (picked ?? '').split(',').filter((cell) => cell !== '');
}

/** Ticked if it was not, and the reverse. */
export function togglePicked(picked: readonly string[], cell: string): string {
  const next = picked.includes(cell)
    ? picked.filter((pickedCell) => pickedCell !== cell)
    : [...picked, cell];
  return next.join(',');
}
