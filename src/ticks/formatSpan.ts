const MS_PER_S = 1000;
const S_PER_MIN = 60;
const S_PER_H = 3600;

const trimmed = (value: number, digits: number): string => String(Number(value.toFixed(digits)));

/** A length of time in words: `850 ms`, `10 s`, `1 min 30 s`, `2 h 5 min`, `3 d 4 h`. */
export function formatSpan(ms: number): string {
  if (ms < MS_PER_S) return `${trimmed(ms, 0)} ms`;
  const s = ms / MS_PER_S;
  if (s < S_PER_MIN) return `${trimmed(s, 1)} s`;
  const joined = (big: number, bigUnit: string, small: number, smallUnit: string): string =>
    small === 0 ? `${big} ${bigUnit}` : `${big} ${bigUnit} ${small} ${smallUnit}`;
  const whole = Math.round(s);
  if (whole < S_PER_H) return joined(Math.floor(whole / S_PER_MIN), 'min', whole % S_PER_MIN, 's');
  const minutes = Math.round(s / S_PER_MIN);
  if (minutes < 48 * 60) return joined(Math.floor(minutes / 60), 'h', minutes % 60, 'min');
  const hours = Math.round(s / S_PER_H);
  return joined(Math.floor(hours / 24), 'd', hours % 24, 'h');
}
