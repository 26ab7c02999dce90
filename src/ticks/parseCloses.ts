import { type FieldProblem, fieldProblem, invalidRequest, quoteValue } from '../core/ServiceError.ts';
import { US_PER_SECOND } from '../core/units.ts';
import { lengthsDiffer, refuseProblems } from './entryProblems.ts';
import { readObserved } from './parseTickRequest.ts';
import { priceColumns, type Timestamps } from './tickColumns.ts';
import { formatTimestamp } from './timestamps.ts';
import type { TickSeries } from './TickSeries.ts';

/** The two lists as they are sent. */
type SentCloses = { readonly Timestamp: Timestamps; readonly Price: readonly number[] };

/** So many closes are of bars longer than a minute if none of them follows another within this time. */
const COARSE_CLOSES = 60;
const COARSE_US = 90 * US_PER_SECOND;

/**
 * Parses one-minute closes by the rules of ticks; all must be earlier than `firstUs`, the first tick, if it is known. `field`: their field in
 * the body. Throws ServiceError `request.invalid` with at most 20 problems, pointers into the body.
 */
export function parseCloses({ Timestamp, Price }: SentCloses, field: 'Closes' | 'closes', firstUs = Infinity): TickSeries {
  const count = Timestamp.length;
  if (Price.length !== count) throw invalidRequest([inField(field, lengthsDiffer('Price', count, Price.length))]);
  const found: FieldProblem[] = [];
  const { series } = readObserved(Timestamp, priceColumns(Price), count, found);
  const problems = found.map((problem) => inField(field, problem));
  const late = problems.length > 0 ? -1 : series.timesUs.findIndex((timeUs) => timeUs >= firstUs);
  if (late >= 0) {
    const first = formatTimestamp(firstUs, 6);
    const detail = `${field}.Timestamp[${late}] is ${quoteValue(Timestamp[late])}, not earlier than the first tick, "${first}"; closes are from before the ticks.`;
    problems.push(fieldProblem(`/${field}/Timestamp/${late}`, 'closes.not_before_ticks', detail));
  }
  if (problems.length === 0 && isCoarse(series)) {
    const detail = `${field}.Timestamp has ${count} entries, and no two of them are less than 90 s apart; closes must be of one-minute bars.`;
    problems.push(fieldProblem(`/${field}/Timestamp`, 'closes.not_one_minute', detail));
  }
  refuseProblems(problems);
  return series;
}

/** A problem with the two lists, named as parts of the field. */
function inField(field: string, problem: FieldProblem): FieldProblem {
  const detail = problem.detail.replace(/\b(?:Timestamp|Price)(?=[ [])/g, `${field}.$&`);
  return { ...problem, pointer: `/${field}${problem.pointer}`, detail };
}

function isCoarse({ timesUs }: TickSeries): boolean {
  return timesUs.length >= COARSE_CLOSES && timesUs.every((timeUs, i) => i === 0 || timeUs - timesUs[i - 1]! >= COARSE_US);
}
