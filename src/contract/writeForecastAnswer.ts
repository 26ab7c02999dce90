import { MAX_ENTRIES } from '../core/units.ts';
import { statusOf, type ForecastDetail, type NullReason } from './forecastDetail.ts';
import type { LastAnswer } from './tickForecast.ts';

const NULL_ENTRY = ':{"trend_identified":null}';

/** Matches characters that a JSON string must escape; no valid timestamp contains any of them. */
const NEEDS_ESCAPE = /["\\\u0000-\u001f\ud800-\udfff]/;

function quoted(text: string): string {
  return NEEDS_ESCAPE.test(text) ? JSON.stringify(text) : `"${text}"`;
}

/**
 * Text of the answer of POST /auth/ti-tick: one key per submitted timestamp, unchanged, in the order of first appearance; equal strings
 * have one key. Every value is null except the last one, which is `mark`. With `detail`, the last entry also contains it. The text equals
 * JSON.stringify of the object, byte for byte, without building it. The last timestamp must differ from all others (it is strictly later).
 */
export function writeForecastAnswer(timestamps: readonly string[], mark: 1 | null, detail: ForecastDetail | null = null): string {
  const last = timestamps.length - 1;
  let text = '{';
  let previous = '';
  // Timestamps of one format ascend as text, so a repeated one is adjacent; the first one that does not ascend needs a set.
  let seen: Set<string> | undefined;
  for (let i = 0; i < last; i++) {
    const stamp = timestamps[i] as string;
    if (stamp === previous && i > 0) continue;
    if (seen === undefined && stamp < previous) seen = new Set(timestamps.slice(0, i));
    if (seen !== undefined) {
      if (seen.has(stamp)) continue;
      seen.add(stamp);
    }
    previous = stamp;
    text += quoted(stamp) + NULL_ENTRY + ',';
  }
  const extra = detail === null ? '' : `,"detail":${JSON.stringify(detail)}`;
  return `${text}${quoted(timestamps[last] as string)}:{"trend_identified":${mark}${extra}}}`;
}

/** Text of the answer of POST /auth/ti-tick with `?answer=last`. `reason`: the first one; null: a mark. */
export function writeLastAnswer(timestamp: string, reason: NullReason | null, detail: ForecastDetail | null): string {
  const answer: LastAnswer = {
    timestamp,
    trend_identified: reason === null ? 1 : null,
    status: statusOf(reason),
    reason,
    ...(detail === null ? {} : { detail }),
  };
  return JSON.stringify(answer);
}

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
