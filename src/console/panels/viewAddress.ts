/** The views of the page. */
export const VIEWS = ['forecast', 'live', 'record'] as const;
export type View = (typeof VIEWS)[number];

/** Fields whose values the address holds, in the order in which they are set. No field for a key, a password or a name of an account is among them. */
export const FIELDS: Readonly<Record<View, readonly string[]>> = {
  forecast: ['horizon', 'count', 'move', 'least'],
  live: ['live-from', 'live-symbol', 'live-kind', 'live-horizon', 'live-span', 'live-every', 'live-rate', 'move', 'least'],
  record: ['record-by', 'record-horizon', 'record-series', 'record-weeks'],
};
/** What is no field: the last tick of the window, and how much of the chart is shown. */
const PLACES = ['at', 'zoom'] as const;
export type Place = (typeof PLACES)[number];

export type Values = Readonly<Record<string, string>>;

/** What an address says; a fragment of something else, such as that of the skip link, is the forecast. */
export function parseAddress(hash: string): { readonly view: View; readonly values: Values } {
  const [, name = '', query = ''] = /^#([^?]*)\??(.*)$/.exec(hash) ?? [];
  const view = VIEWS.find((one) => one === name) ?? 'forecast';
  const known = [...FIELDS[view], ...PLACES];
  return { view, values: Object.fromEntries([...new URLSearchParams(query)].filter(([field]) => known.includes(field))) };
}

export function writeAddress(view: View, values: Values): string {
  const query = new URLSearchParams(Object.entries(values).filter(([, value]) => value !== '')).toString();
  return query === '' ? `#${view}` : `#${view}?${query.replaceAll('%2F', '/').replaceAll('%3A', ':')}`;
}
