/** Return the results ticked for comparison after this cell was ticked or not; pure. */
export function togglePicked(picked: readonly string[], cell: string): string[] {
  return picked.includes(cell)
    ? picked.filter((pickedCell) => pickedCell !== cell)
    : [...picked, cell];
}
