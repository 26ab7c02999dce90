import type { ForecastDetail } from './forecastDetail.ts';

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
