/** Which markets a browser showed last: the one that was open, and those side by side. */
export type ShownMarkets = { readonly open: string | null; readonly charts: readonly string[] };

/** Null: none are remembered. */
export function readShown(text: string | null): ShownMarkets | null {
  try {
    const { open = null, charts = [] } = JSON.parse(text ?? '') as Partial<Record<keyof ShownMarkets, unknown>>;
    const ids = Array.isArray(charts) ? charts.filter((id) => typeof id === 'string') : [];
    return { open: typeof open === 'string' ? open : null, charts: ids };
  } catch {
    return null;
  }
}
