/** A line of the front page of the documentation. */
export type DocsEntry = { readonly href: string; readonly name: string; readonly about: string; readonly words: string };

const MOST_SHOWN = 30;

/** How well an entry matches the terms; 0: not. A match in the name counts most, at its start even more. */
function rank({ name, about, words }: DocsEntry, terms: readonly string[]): number {
  let sum = 0;
  for (const term of terms) {
    const at = name.toLowerCase().indexOf(term);
    const points = at === 0 ? 4 : at > 0 ? 3 : words.toLowerCase().includes(term) ? 2 : about.toLowerCase().includes(term) ? 1 : 0;
    if (points === 0) return 0;
    sum += points;
  }
  return sum;
}

/** The entries with every word of the query, best first, and how many there are in all. */
export function findEntries(
  entries: readonly DocsEntry[],
  query: string,
): { readonly found: readonly DocsEntry[]; readonly count: number } {
  const terms = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (terms.length === 0) return { found: [], count: 0 };
  const ranked = entries.map((entry) => ({ entry, points: rank(entry, terms) })).filter(({ points }) => points > 0);
  // A stable sort: equal ones stay in the order of the page.
  ranked.sort((a, b) => b.points - a.points);
  return { found: ranked.slice(0, MOST_SHOWN).map(({ entry }) => entry), count: ranked.length };
}
