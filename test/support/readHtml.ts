const VOID_TAGS = new Set(['meta', 'br', 'hr', 'img', 'link', 'input']);
const TAG = /<(\/?)([a-zA-Z][\w-]*)((?:\s+[\w:-]+(?:="[^"<>]*")?)*)\s*(\/?)>/g;

export type HtmlTag = { readonly name: string; readonly attributes: ReadonlyMap<string, string> };

/**
 * Parses the tags of a page of this project, with attributes in double quotes. Throws if tags do not nest, if a `<` or `>` is outside a
 * tag, or if an attribute is unquoted, so that unescaped text is detected.
 */
export function readHtml(html: string): HtmlTag[] {
  const body = html.replace(/^<!doctype html>/, '').replace(/(<style>)[^<]*(<\/style>)/, '$1$2');
  const unescaped = /[<>]/.exec(body.replace(TAG, ''));
  if (unescaped !== null) throw new Error(`an unescaped ${unescaped[0]} outside tags`);
  const open: string[] = [];
  const tags: HtmlTag[] = [];
  for (const [whole, closes, name = '', attributes = '', selfCloses] of body.matchAll(TAG)) {
    if (closes === '/') {
      const last = open.pop();
      if (last !== name) throw new Error(`${whole} closes <${last}>`);
      continue;
    }
    tags.push({
      name,
      attributes: new Map([...attributes.matchAll(/([\w:-]+)="([^"]*)"/g)].map(([, key = '', value = '']) => [key, value])),
    });
    if (selfCloses !== '/' && !VOID_TAGS.has(name)) open.push(name);
  }
  if (open.length > 0) throw new Error(`<${open.join('>, <')}> is never closed`);
  return tags;
}
