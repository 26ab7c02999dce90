const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] as string);
}

/** Formats a line of our descriptions: text with `code` in it. */
export function inline(text: string): string {
  return escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');
}

/** Formats a description: paragraphs, and lists whose lines start with `- `. */
export function prose(text: string): string {
  return text
    .split(/\n\n/)
    .map((block) => {
      const lines = block.split('\n');
      if (!lines.every((line) => line.startsWith('- '))) return `<p>${inline(block)}</p>`;
      return `<ul class="bullets">${lines.map((line) => `<li>${inline(line.slice(2))}</li>`).join('')}</ul>`;
    })
    .join('');
}

/** A part that is closed at first; empty without content. */
export function fold(title: string, inner: string): string {
  return inner === '' ? '' : `<details><summary>${title}</summary>${inner}</details>`;
}

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

/** A list of plain values is printed on one line. */
const flat = (text: string): string =>
  text.replace(/\[\n\s+((?:[^[\]{}]+))\n\s+\]/g, (_, inner: string) => `[${inner.replace(/\n\s+/g, ' ')}]`);

/** The whole value as text. */
export const jsonText = (value: unknown): string => flat(JSON.stringify(value, null, 2));

/** A text, or a value with its lists shortened. */
export function showExample(value: unknown): string {
  const text = typeof value === 'string' ? value : jsonText(cut(value));
  return `<pre tabindex="0"><code>${escapeHtml(text)}</code></pre>`;
}
