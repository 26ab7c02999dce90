/** Code points from this one on are mostly two columns wide (CJK, emoji). */
const FIRST_WIDE = 0x2e80;

const columns = (sign: string): number => ((sign.codePointAt(0) ?? 0) >= FIRST_WIDE ? 2 : 1);

/** Shortens a name to `most` columns by cutting its middle, because related names differ at their ends. */
export function shortenName(name: string, most: number): string {
  const signs = [...name];
  if (signs.reduce((sum, sign) => sum + columns(sign), 0) <= most) return name;
  const head = takeColumns(signs, Math.ceil((most - 1) / 2));
  const tail = takeColumns(signs.reverse(), Math.floor((most - 1) / 2)).reverse();
  return `${head.join('')}…${tail.join('')}`;
}

function takeColumns(signs: readonly string[], most: number): string[] {
  const taken: string[] = [];
  let used = 0;
  for (const sign of signs) {
    used += columns(sign);
    if (used > most) break;
    taken.push(sign);
  }
  return taken;
}
