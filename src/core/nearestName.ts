/** The one of `names` with the smallest edit distance (Levenshtein 1966) to `wanted`; null if that exceeds half of its length. */
export function nearestName(wanted: string, names: readonly string[]): string | null {
  // Bounds the time; a longer text is not a misspelling.
  if (wanted.length > 64) return null;
  let best: string | null = null;
  let least = Infinity;
  for (const name of names) {
    const distance = editDistance(wanted, name);
    if (distance < least && distance <= name.length / 2) {
      best = name;
      least = distance;
    }
  }
  return best;
}

/** Insertions, deletions and replacements that make `b` of `a`. */
export function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const swap = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(swap, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    row = next;
  }
  return row[b.length] as number;
}
