import { MAX_ENTRIES } from '../core/units.ts';
import type { ForecastDetail } from './forecastDetail.ts';

/** Positions of the timestamps in the body of a request, each once. */
export type StampPlaces = { readonly bytes: Uint8Array; readonly starts: Int32Array; readonly length: number };

const BEFORE = '"';
const AFTER = '":{"trend_identified":null},';

/** A template answer with the maximum number of entries, for timestamps of one length; spaces mark their positions. */
type Form = { readonly length: number; readonly bytes: Buffer };
let form: Form | undefined;

function formOf(length: number): Form {
  // Only one is cached: the callers of a service write their timestamps alike, and creating a template takes less time than one long
  // answer.
  if (form?.length !== length) {
    form = { length, bytes: Buffer.from(`{${(BEFORE + ' '.repeat(length) + AFTER).repeat(MAX_ENTRIES)}`, 'latin1') };
  }
  return form;
}

/**
 * Bytes of the answer of POST /auth/ti-tick for timestamps at known positions of the request body; equal to the text of
 * `writeForecastAnswer`. The timestamps are plain ASCII of one length; the last one is the future timestamp.
 */
export function writeStampAnswer({ bytes, starts, length }: StampPlaces, mark: 1 | null, detail: ForecastDetail | null = null): Buffer {
  const extra = detail === null ? '' : `,"detail":${JSON.stringify(detail)}`;
  const end = `":{"trend_identified":${mark}${extra}}}`;
  const step = BEFORE.length + length + AFTER.length;
  const endAt = 1 + step * (starts.length - 1) + BEFORE.length + length;
  const answer = Buffer.allocUnsafe(endAt + Buffer.byteLength(end));
  formOf(length).bytes.copy(answer, 0, 0, endAt);
  const source = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const target = new DataView(answer.buffer, answer.byteOffset, answer.byteLength);
  const tail = length - 8;
  let to = 1 + BEFORE.length;
  for (let i = 0; i < starts.length; i++, to += step) {
    const from = starts[i]!;
    // Copies eight characters at a time; the last copy may overlap. No ASCII bytes form a double that is NaN, so all are copied exactly.
    for (let k = 0; k < tail; k += 8) target.setFloat64(to + k, source.getFloat64(from + k));
    target.setFloat64(to + tail, source.getFloat64(from + tail));
  }
  answer.write(end, endAt);
  return answer;
}
