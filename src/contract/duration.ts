/** Longest horizon and interval of a list of forecasts or of a live series. */
export const LONGEST_MS = 86_400_000;

const MS_PER_UNIT = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
export const DURATION_PATTERN = '^([1-9][0-9]{0,7})(ms|s|m|h|d)$';
const DURATION = new RegExp(DURATION_PATTERN);
export const BARS_PATTERN = '^([1-9][0-9]{0,4})bars$';
const BARS = new RegExp(BARS_PATTERN);

/** `250ms`, `60s`, `5m`, `1h`, `1d` to milliseconds; undefined if the text has another form or is longer than a day. */
export function parseDurationMs(text: string): number | undefined {
  const [, number, unit] = DURATION.exec(text) ?? [];
  const ms = Number(number) * MS_PER_UNIT[unit as keyof typeof MS_PER_UNIT];
  return ms <= LONGEST_MS ? ms : undefined;
}

/** `3bars` to 3; undefined if the text has another form. */
export function parseBars(text: string): number | undefined {
  const [, number] = BARS.exec(text) ?? [];
  return number === undefined ? undefined : Number(number);
}
