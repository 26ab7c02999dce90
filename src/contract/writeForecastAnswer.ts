import type { ForecastDetail } from './forecastDetail.ts';

const NULL_ENTRY = ':{"trend_identified":null}';

/** Matches what a JSON string may not hold as it is; no valid timestamp has any of it. */
const NEEDS_ESCAPE = /["\\\u0000-\u001f\ud800-\udfff]/;

function quoted(text: string): string {
  return NEEDS_ESCAPE.test(text) ? JSON.stringify(text) : `"${text}"`;
}

/**
 * Texts of the answer of POST /auth/ti-tick: one key per submitted timestamp, verbatim, in the order of first
 * appearance; equal strings share one key. Every value is null but the last one's, which is `mark`. With `detail`, the
 * last entry holds it beside the mark. Equal to JSON.stringify of the object, byte for byte, without building it.
 * The last timestamp is taken to differ from all others (it is strictly later).
 */
export function writeForecastAnswer(timestamps: readonly string[], mark: 1 | null, detail: ForecastDetail | null = null): string {
  const last = timestamps.length - 1;
  let text = '{';
  let previous = '';
  // Stamps of one form ascend as text, so a repeat is the neighbour; the first that does not ascend turns to a set.
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
