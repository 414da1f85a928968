/** Finds names similar to a name that does not exist; pure. */

/** Return the edit distance of two words, counting swaps of neighbours as one edit. */
export function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let least = Math.min((above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (above[j - 1] ?? 0) + cost);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwap) least = Math.min(least, (before[j - 2] ?? 0) + 1);
      row.push(least);
    }
    before = above;
    above = row;
  }
  return above[b.length] ?? 0;
}

/** A name with more edits than this share of the longer word is not similar. */
const MOST_EDITS = 0.4;
const LEAST_PART = 3;

/** Return the distance from 0 (equal) to 1 (different); a part of the other word counts as similar. */
function distance(asked: string, name: string): number {
  const [a, b] = [asked.toLowerCase(), name.toLowerCase()];
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  const edits = editDistance(a, b) / Math.max(1, long.length);
  const isPart = short.length >= LEAST_PART && long.includes(short);
  return isPart ? Math.min(edits, 0.3) : edits;
}

/** Return at most `most` similar candidates by any of their names, the nearest first. */
export function listNear<Candidate>(
  asked: string,
  candidates: readonly Candidate[],
  namesOf: (candidate: Candidate) => readonly string[],
  most = 3,
): Candidate[] {
  return candidates
    .map((candidate) => ({
      candidate,
      far: Math.min(...namesOf(candidate).map((name) => distance(asked, name))),
    }))
    .filter(({ far }) => far <= MOST_EDITS)
    .sort((a, b) => a.far - b.far)
    .slice(0, most)
    .map(({ candidate }) => candidate);
}
