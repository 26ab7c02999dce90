import type { FieldCode } from '../core/fieldCodes.ts';
import {
  MAX_YEAR,
  MIN_YEAR,
  TIMESTAMP_MALFORMED,
  TIMESTAMP_NOT_A_TIME,
  TIMESTAMP_OFFSET_UNSUPPORTED,
  TIMESTAMP_OUT_OF_RANGE,
} from './parseTimestampUs.ts';

export type TimestampFault = {
  readonly code: FieldCode;
  /** The broken rule, which messages append to the value. */ readonly rule: string;
};

const MALFORMED: TimestampFault = {
  code: 'timestamp.malformed',
  rule: 'the format is YYYY-MM-DD HH:MM:SS with 0 to 9 digits of fraction',
};

const FAULTS: ReadonlyMap<number, TimestampFault> = new Map<number, TimestampFault>([
  [TIMESTAMP_MALFORMED, MALFORMED],
  [TIMESTAMP_NOT_A_TIME, { code: 'timestamp.not_a_time', rule: 'this date or time of day does not exist' }],
  [TIMESTAMP_OUT_OF_RANGE, { code: 'timestamp.out_of_range', rule: `the year must be from ${MIN_YEAR} to ${MAX_YEAR}` }],
  [
    TIMESTAMP_OFFSET_UNSUPPORTED,
    { code: 'timestamp.offset_unsupported', rule: 'the time must be UTC: no suffix, Z or +00:00, and no other offset' },
  ],
]);

/** Code and message of a negative result of `parseTimestampUs`. */
export function timestampFault(fault: number): TimestampFault {
  return FAULTS.get(fault) ?? MALFORMED;
}
