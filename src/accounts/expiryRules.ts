import { fieldProblem, quoteValue, type FieldProblem } from '../core/ServiceError.ts';

const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?Z$/;
const MAX_YEARS = 10;
const MS_PER_YEAR = 366 * 86_400_000;

/** Reads the expiry of a key: ISO 8601 in UTC, later than now and within ten years. */
export function parseExpiry(text: string, nowMs: number): number | FieldProblem {
  const malformed = (): FieldProblem =>
    fieldProblem(
      '/expires_at',
      'expires_at.malformed',
      `expires_at must be a time in UTC, 2030-12-31T23:59:59Z; it is ${quoteValue(text)}.`,
    );
  if (!ISO_TIME.test(text)) return malformed();
  const atMs = Date.parse(text);
  // Date.parse reads 30 February as 1 or 2 March.
  if (Number.isNaN(atMs) || new Date(atMs).toISOString().slice(0, 10) !== text.slice(0, 10)) return malformed();
  if (atMs > nowMs && atMs <= nowMs + MAX_YEARS * MS_PER_YEAR) return atMs;
  const detail = `expires_at must be later than now and within ${MAX_YEARS} years; it is ${quoteValue(text)}.`;
  return fieldProblem('/expires_at', 'expires_at.out_of_range', detail);
}
