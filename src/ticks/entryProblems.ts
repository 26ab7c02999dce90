import { isEpochList } from '../core/isEpochList.ts';
import { type FieldProblem, fieldProblem, invalidRequest, quoteValue } from '../core/ServiceError.ts';
import type { PriceColumn, Timestamps } from './tickColumns.ts';
import { timestampFault } from './timestamps.ts';
import { PRICE_LIMIT } from './TickSeries.ts';

/** The response to a body with thousands of faults lists only the first ones. */
export const MAX_PROBLEMS = 20;

/** Throws the first problems, if there are any. */
export function refuseProblems(problems: readonly FieldProblem[]): void {
  if (problems.length > 0) throw invalidRequest(problems.slice(0, MAX_PROBLEMS));
}

/** Throws what is wrong with the lists as a whole. `bounds`: fewest and most entries, and what belongs to them. */
export function checkLengths(
  timestamps: unknown,
  columns: readonly PriceColumn[],
  [fewest, most, what]: readonly [number, number, string],
): void {
  const problems: FieldProblem[] = [];
  if (!Array.isArray(timestamps)) problems.push(wrongType('/Timestamp', 'Timestamp', 'a list of strings', timestamps));
  for (const { name, values } of columns)
    if (!Array.isArray(values)) problems.push(wrongType(`/${name}`, name, 'a list of numbers', values));
  if (problems.length === 0 && Array.isArray(timestamps)) {
    const count = timestamps.length;
    const rule = `Timestamp has ${count} entries; ${fewest} to ${most} are allowed${what}.`;
    if (count < fewest) problems.push(fieldProblem('/Timestamp', 'ticks.too_few', rule));
    if (count > most) problems.push(fieldProblem('/Timestamp', 'ticks.too_many', rule));
    for (const { name, values } of columns) if (values.length !== count) problems.push(lengthsDiffer(name, count, values.length));
  }
  refuseProblems(problems);
}

export function lengthsDiffer(name: string, timestamps: number, prices: number): FieldProblem {
  const detail = `${name} has ${prices} entries and Timestamp has ${timestamps}; both lists must have the same length.`;
  return fieldProblem(`/${name}`, 'ticks.lengths_differ', detail);
}

function wrongType(pointer: string, name: string, type: string, value: unknown): FieldProblem {
  return fieldProblem(pointer, 'field.wrong_type', `${name} is ${quoteValue(value)}; it must be ${type}.`);
}

export function timestampProblem(index: number, value: unknown, fault: number, all: Timestamps): FieldProblem {
  const pointer = `/Timestamp/${index}`;
  const type = isEpochList(all) ? 'number' : 'string';
  if (typeof value !== type) return wrongType(pointer, `Timestamp[${index}]`, `a ${type}`, value);
  const { code, rule } = timestampFault(fault);
  return fieldProblem(pointer, code, `Timestamp[${index}] is ${quoteValue(value)}; ${rule}.${otherUnit(value)}`);
}

/** What digits that are neither milliseconds nor microseconds since 1970 look like, also in a text. */
function otherUnit(value: unknown): string {
  const count = /^\d{9,20}(?:\.\d+)?$/.test(String(value)) ? Number(value) : NaN;
  if (count < 1e11) return ' It may be seconds: send whole milliseconds, 1000 times as much.';
  return count >= 1e17 ? ' It may be nanoseconds: send whole microseconds, a thousandth of it.' : '';
}

export function priceProblem(list: string, index: number, value: unknown): FieldProblem {
  const pointer = `/${list}/${index}`;
  const name = `${list}[${index}]`;
  if (typeof value !== 'number') return wrongType(pointer, name, 'a number', value);
  // String instead of shown, because JSON has no Infinity and no NaN.
  if (!Number.isFinite(value)) return fieldProblem(pointer, 'price.not_finite', `${name} is ${String(value)}; a price must be finite.`);
  if (value <= 0) return fieldProblem(pointer, 'price.not_positive', `${name} is ${value}; a price must be above 0.`);
  return fieldProblem(pointer, 'price.too_large', `${name} is ${value}; a price must be below ${PRICE_LIMIT}.`);
}

export function futurePriceProblem(list: string, index: number, value: unknown): FieldProblem {
  const pointer = `/${list}/${index}`;
  const name = `${list}[${index}]`;
  if (typeof value !== 'number') return wrongType(pointer, name, 'a number', value);
  return fieldProblem(pointer, 'price.future_not_zero', `${name}, the future price, is ${String(value)}; it must be exactly 0.`);
}
