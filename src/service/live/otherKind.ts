import { fieldProblem, invalidRequest, quoteValue, type ServiceError } from '../../core/ServiceError.ts';
import { MS_PER_SECOND } from '../../core/units.ts';

const kindOf = (barPeriodMs: number): string => (barPeriodMs === 0 ? 'ticks' : `bars of ${barPeriodMs / MS_PER_SECOND} s`);

/** A series keeps its kind: ticks (0), or bars of one period. What one kind has taught would be wrong for the other. */
export function otherKind(pointer: '?series' | '/series', series: string, knownMs: number, sentMs: number): ServiceError {
  const detail = `series ${quoteValue(series)} is known as one of ${kindOf(knownMs)}, and ${kindOf(sentMs)} were sent; use another name for them.`;
  return invalidRequest([fieldProblem(pointer, 'series.other_kind', detail)]);
}
