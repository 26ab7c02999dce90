import { escapeHtml } from './html.ts';

/** Longer lists are shortened to their first items and the last one. */
const SHOWN = 6;
const HEAD = 3;

/** Shortens a value for display: `…` replaces the omitted part. */
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
  // A list of plain values is printed on one line.
  const flat = text.replace(/\[\n\s+((?:[^[\]{}]+))\n\s+\]/g, (_, inner: string) => `[${inner.replace(/\n\s+/g, ' ')}]`);
  return `<pre tabindex="0"><code>${escapeHtml(flat)}</code></pre>`;
}
