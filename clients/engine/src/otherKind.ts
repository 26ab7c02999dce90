import { fieldProblem, invalidRequest, type ServiceError } from '../../../src/core/ServiceError.ts';

const kindOf = (periodMs: number): string => (periodMs === 0 ? 'ticks' : Number.isNaN(periodMs) ? 'bars' : `bars of ${periodMs / 1000} s`);

/** `known`: of the series, or of the memory that it was given; 0: ticks. */
export function otherKind(pointer: string, known: number, given: number): ServiceError {
  const [mine, other] = pointer === '' ? [known, given] : [given, known];
  const what = pointer === '' ? 'was pushed' : 'is in the memory';
  return invalidRequest([
    fieldProblem(pointer, 'series.other_kind', `The series is one of ${kindOf(mine)}; something else ${what}: ${kindOf(other)}.`),
  ]);
}
