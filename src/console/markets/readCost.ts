/** A cost as typed, basis points; null: none; a text: what is wrong with it. */
export function readCost(text: string): number | null | string {
  const trimmed = text
    .trim()
    .replace(',', '.')
    .replace(/ *bps$/i, '');
  if (trimmed === '') return null;
  const bps = /^\d+(\.\d+)?$/.test(trimmed) ? Number(trimmed) : NaN;
  return bps > 0 && bps <= 10_000 ? bps : 'Write a number above 0 and at most 10,000, such as 8.1, or leave it empty.';
}
