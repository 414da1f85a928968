/** The results ticked for comparison, as cell ids separated by commas in the URL; pure. */

export function readPicked(picked: string | undefined): readonly string[] {
  return (picked ?? '').split(',').filter((cell) => cell !== '');
}

/** Toggle a cell. */
export function togglePicked(picked: readonly string[], cell: string): string {
  const next = picked.includes(cell)
    ? picked.filter((pickedCell) => pickedCell !== cell)
    : [...picked, cell];
  return next.join(',');
}
