/** A number as people write it, with a point or a comma; null: an empty field; NaN: anything else. */
export function readDecimal(text: string): number | null {
  const trimmed = text.trim().replace(',', '.');
  if (trimmed === '') return null;
  return /^\d{1,10}(?:\.\d{1,10})?$/.test(trimmed) ? Number(trimmed) : NaN;
}
