import { escapeHtml } from './html.ts';

/** Lists and objects longer than this are shown by their ends. */
const SHOWN = 6;
const HEAD = 3;

/** A value cut to what a person reads: `…` stands for what is left out. */
function cut(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items: unknown[] = value.length > SHOWN ? [...(value.slice(0, HEAD) as unknown[]), '…', value.at(-1)] : value;
    return items.map(cut);
  }
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, cut(each)]));
  return value;
}

export function showExample(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(cut(value), null, 2);
  // A list of plain values takes one line.
  const flat = text.replace(/\[\n\s+((?:[^[\]{}]+))\n\s+\]/g, (_, inner: string) => `[${inner.replace(/\n\s+/g, ' ')}]`);
  return `<pre tabindex="0"><code>${escapeHtml(flat)}</code></pre>`;
}
