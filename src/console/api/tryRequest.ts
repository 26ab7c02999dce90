/** What the form says. Absent fields are those that the route does not have. */
export type TryFields = {
  readonly method: string;
  /** With `{name}` for a parameter. */
  readonly path: string;
  readonly parameters: readonly { readonly name: string; readonly place: string; readonly value: string }[];
  readonly key?: string;
  readonly login?: { readonly email: string; readonly password: string };
  readonly body?: string;
};

export type TryRequest = { readonly url: string; readonly headers: Readonly<Record<string, string>>; readonly body: string | undefined };

/** HTTP Basic in UTF-8. */
function basic(email: string, password: string): string {
  const bytes = new TextEncoder().encode(`${email}:${password}`);
  return `Basic ${btoa(String.fromCharCode(...bytes))}`;
}

/** Path and query, with the parameters that have a value. Key and password are never part of it. */
export function urlOf({ path, parameters }: TryFields): string {
  const filled = parameters
    .filter(({ place }) => place === 'path')
    .reduce((text, { name, value }) => text.replace(`{${name}}`, encodeURIComponent(value)), path);
  const query = parameters.filter(({ place, value }) => place === 'query' && value !== '');
  // A comma stays one: lists are read more easily.
  const words = query.map(({ name, value }) => `${name}=${encodeURIComponent(value).replaceAll('%2C', ',')}`);
  return words.length === 0 ? filled : `${filled}?${words.join('&')}`;
}

export function tryRequest(fields: TryFields): TryRequest {
  const { key, login, body, parameters } = fields;
  const sent = parameters.filter(({ place, value }) => place === 'header' && value !== '').map(({ name, value }) => [name, value]);
  return {
    url: urlOf(fields),
    headers: {
      ...Object.fromEntries(sent),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...(key === undefined || key === '' ? {} : { 'Api-Key': key }),
      ...(login === undefined ? {} : { Authorization: basic(login.email, login.password) }),
    },
    body,
  };
}

/** Longer bodies are in a file: some shells do not take such an argument, and people do not read it. */
const MOST_IN_LINE = 400;

/** The call of the page with what the form says. Key and password stay variables of the shell. */
export function curlText(template: string, origin: string, fields: TryFields): string {
  const { body, parameters } = fields;
  const headers = parameters
    .filter(({ place, value }) => place === 'header' && value !== '')
    .map(({ name, value }) => `-H ${quote(`${name}: ${value}`)} `);
  const call = template.replace(/"\$URL[^"]*"/, () => `${headers.join('')}${quote(origin + urlOf(fields))}`);
  const line = body === undefined ? '' : body.replace(/\s*\n\s*/g, ' ').trim();
  return line === '' || line.length > MOST_IN_LINE ? call : call.replace('--data-binary @body.json', () => `-d ${quote(line)}`);
}

/** As one word of a POSIX shell. */
const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** Text of an answer for the screen: JSON is indented, with lists of plain values on one line. */
export function readable(text: string, type: string): string {
  if (!/\bjson\b/.test(type)) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2).replace(
      /\[\n\s+([^[\]{}]+)\n\s+\]/g,
      (_, inner: string) => `[${inner.replace(/\n\s+/g, ' ')}]`,
    );
  } catch {
    return text;
  }
}
