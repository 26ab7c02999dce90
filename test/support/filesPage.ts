import { TICK_FORMATS } from './tickFormats.ts';

const QUOTES = [0, 60, 120].map((s, i) => ({
  us: (Date.UTC(2024, 0, 9, 14, 30) + s * 1000 + i * 250) * 1000,
  bid: 1.09431 + i / 1e5,
  ask: 1.09434 + i / 1e5,
}));
/** Bars start at whole minutes. */
const BARS = QUOTES.map((quote, i) => ({ ...quote, us: Date.UTC(2024, 0, 9, 14, 31 + i) * 1000 }));

/** The blocks of docs/reference/files.md that show three ticks in a format: name, text between the fences. */
const BLOCK = /(<!-- sample: (.+?) -->\n\n```text\n)([\s\S]*?)(```)/g;

export function sampleOf(name: string): string {
  const spelling = TICK_FORMATS.find((each) => each.name === name);
  if (spelling === undefined) throw new Error(`There is no format ${JSON.stringify(name)}.`);
  return new TextDecoder().decode(spelling.write(spelling.kind === 'bars' ? BARS : QUOTES)).replaceAll('\r\n', '\n');
}

/** The page with every sample from the fixtures, and the names of these samples. */
export function withSamples(page: string): { text: string; names: string[] } {
  const names: string[] = [];
  const text = page.replace(BLOCK, (_all, head: string, name: string, _old: string, tail: string) => {
    names.push(name);
    return `${head}${sampleOf(name).trimEnd()}\n${tail}`;
  });
  return { text, names };
}
