const VOID_TAGS = new Set(['meta', 'br', 'hr', 'img', 'link', 'input']);
const TAG = /<(\/?)([a-zA-Z][\w-]*)((?:\s+[\w:-]+(?:="[^"<>]*")?)*)\s*(\/?)>/g;

export type HtmlTag = { readonly name: string; readonly attributes: ReadonlyMap<string, string> };

/**
 * The tags of a page that this project wrote, attributes in double quotes. Throws where tags do not nest, where a `<` or `>` stands
 * outside a tag, or where an attribute is unquoted: a page with text that was not escaped does not get through.
 */
export function readHtml(html: string): HtmlTag[] {
  const body = html.replace(/^<!doctype html>/, '').replace(/(<style>)[^<]*(<\/style>)/, '$1$2');
  const stray = /[<>]/.exec(body.replace(TAG, ''));
  if (stray !== null) throw new Error(`a stray ${stray[0]} outside tags`);
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
