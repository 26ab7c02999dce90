import type { SettingRow } from '../src/core/config/SettingRow.ts';

/**
 * Not in `settings`: ports, probes, volumes and the time to stop depend on those that the chart sets from its own values, and the URI contains
 * a password.
 */
export const NOT_IN_SETTINGS: readonly string[] = [
  'DATA_DIR',
  'HOST',
  'METRICS_HOST',
  'METRICS_PORT',
  'MONGODB_URI',
  'PORT',
  'SHUTDOWN_GRACE_MS',
  'WORKERS',
];

/**
 * JSON Schema of a setting in the values of the chart: what the service accepts, as a string or as YAML writes it. Empty means the default. Texts
 * are checked by the service only.
 */
export function settingSchema({ kind, min = 0, max = Number.MAX_SAFE_INTEGER, also }: SettingRow): object {
  if (kind === 'text') return { type: ['string', 'number'] };
  if (kind === 'boolean') return { enum: [true, false, 'true', 'false', ''] };
  if (kind !== 'integer') {
    const numbers = kind.oneOf.filter((word) => /^\d+$/.test(word)).map(Number);
    const words = { enum: [...kind.oneOf, ''] };
    // Not in one list: Helm takes 0 and '0' for equal there.
    return numbers.length === 0 ? words : { anyOf: [words, { enum: numbers }] };
  }
  const words = also === undefined ? '' : `|${also}`;
  return {
    anyOf: [
      { type: 'integer', minimum: min, maximum: max },
      { type: 'string', pattern: `^(${rangePattern(min, max)}${words}|)$` },
    ],
  };
}

/** A regular expression of the whole numbers from `min` to `max`, without leading zeros. */
export function rangePattern(min: number, max: number): string {
  const ends = new Set([max]);
  // 36 to 1234 is 36–39, 40–99, 100–999, 1000–1199, 1200–1229 and 1230–1234: in each, digits differ on their own.
  for (let power = 10; power <= max; power *= 10) {
    const up = Math.ceil((min + 1) / power) * power - 1;
    if (up < max) ends.add(up);
    const down = Math.floor((max + 1) / power) * power - 1;
    if (down >= min) ends.add(down);
  }
  let first = min;
  const parts: string[] = [];
  for (const end of [...ends].sort((a, b) => a - b)) {
    const [from, to] = [String(first), String(end)];
    parts.push([...from].map((digit, at) => (digit === to[at] ? digit : `[${digit}-${to[at]}]`)).join(''));
    first = end + 1;
  }
  return parts.join('|').replace(/(\[0-9\])\1+/g, (run) => `[0-9]{${run.length / 5}}`);
}
