import { InvalidArgumentError } from 'commander';
import { ServiceError } from '../core/ServiceError.ts';
import { US_PER_MINUTE, US_PER_MS, US_PER_SECOND } from '../core/units.ts';
import type { BarWindow } from '../ticks/BarWindow.ts';
import { ENTRY_DELAY_MS } from '../engine/features/labelOrigin.ts';

/** For `addHelpText('after', …)` of a command whose help needs only examples. */
export function exampleText(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ tickmark ${line}`).join('\n')}`;
}

/** A parser for an option whose text has to pass a test. */
export const textThat =
  (isRight: (text: string) => boolean, advice: string) =>
  (text: string): string => {
    if (!isRight(text)) throw new InvalidArgumentError(advice);
    return text;
  };

export const parseSeries = textThat((text) => /^[A-Za-z0-9._:-]{1,64}$/.test(text), 'Write 1 to 64 of A-Z a-z 0-9 . _ : -');

/** A parser for an address with `scheme` or its form over TLS; `such`: an example for the advice. */
export const urlOf = (scheme: 'http' | 'ws', such = ''): ((text: string) => string) =>
  textThat(
    (text) => URL.canParse(text) && [`${scheme}:`, `${scheme}s:`].includes(new URL(text).protocol),
    `Write an address that starts with ${scheme}:// or ${scheme}s://${such}.`,
  );

/** A parser for an option that takes a whole number from `min` to `max`. */
export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d{1,15}$/.test(text) || value < min || value > max)
      throw new InvalidArgumentError(`Write a whole number from ${min} to ${max}.`);
    return value;
  };
}

/** A parser for an option that takes a number above 0 and at most `max`. */
export function positiveNumber(max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d{1,15}(?:\.\d{1,15})?$/.test(text) || !(value > 0) || value > max)
      throw new InvalidArgumentError(`Write a number above 0 and at most ${max}.`);
    return value;
  };
}

const US_PER_UNIT = {
  ms: US_PER_MS,
  s: US_PER_SECOND,
  m: US_PER_MINUTE,
  min: US_PER_MINUTE,
  h: 60 * US_PER_MINUTE,
  d: 24 * 60 * US_PER_MINUTE,
} as const;
const FORM = /^(\d{1,12}(?:\.\d{1,6})?)(ms|s|m|min|h|d)$/;
const NUMBER = /^\d{1,12}(?:\.\d{1,6})?$/;
/** Longer durations make no sense and approach the last supported year, 2199. */
const MAX_US = 366 * 24 * US_PER_UNIT.h;

/** `250ms`, `60s`, `1.5m`, `10min`, `1h`, `1d` to whole microseconds above 0. Throws commander's InvalidArgumentError (exit code 2). */
export function parseDuration(text: string): number {
  const [, number, unit] = FORM.exec(text.trim()) ?? [];
  if (number === undefined || unit === undefined) {
    const given = text.trim();
    const meant = NUMBER.test(given) ? ` Did you mean ${given}s or ${given}min?` : '';
    throw new InvalidArgumentError(`Write a number and its unit: 10s, 60s, 5m, 1h or 1d.${meant}`);
  }
  const us = Math.round(Number(number) * US_PER_UNIT[unit as keyof typeof US_PER_UNIT]);
  if (us < 1 || us > MAX_US) throw new InvalidArgumentError('The duration must be above 0 and at most 366 days (366d).');
  return us;
}

/** How far ahead, in time, or in bars of the file. */
export type Horizon = { readonly us: number } | { readonly bars: number };

/** A duration, or `3bars`. Throws what `parseDuration` throws. */
export function parseHorizon(text: string): Horizon {
  const [, bars] = /^(\d{1,4})bars?$/.exec(text.trim()) ?? [];
  if (bars === undefined) return { us: parseDuration(text) };
  if (Number(bars) === 0) throw new InvalidArgumentError('Write 1 or more bars: 3bars.');
  return { bars: Number(bars) };
}

/** Microseconds. Throws ServiceError `command.invalid` for bars of a file that has none. */
export function horizonUs(horizon: Horizon, path: string, bars: BarWindow | undefined): number {
  if ('us' in horizon) return horizon.us;
  if (bars !== undefined) return horizon.bars * bars.periodMs * US_PER_MS;
  throw new ServiceError('command.invalid', `--horizon ${horizon.bars}bars: ${path} holds ticks, not bars.`, {
    remedy: 'Write a number and its unit: 10s, 60s, 5m, 1h or 1d.',
  });
}

/** As it is typed. */
export const horizonText = (horizon: Horizon): string => ('us' in horizon ? formatDuration(horizon.us) : `${horizon.bars}bars`);

/** A warning for a horizon that ends before the entry, or with it; empty for a longer one. */
export function shortHorizonText(horizonUs: number): string {
  if (horizonUs > ENTRY_DELAY_MS * US_PER_MS) return '';
  return `A horizon of ${formatDuration(horizonUs)}: no move can be counted, because the entry is 1 s after the last tick. Use a longer one.\n`;
}

/** Formats microseconds in the largest unit that needs at most three decimals. */
export function formatDuration(us: number): string {
  for (const unit of ['h', 'm', 's'] as const) {
    const value = us / US_PER_UNIT[unit];
    if (value >= 1 && Number.isInteger(value * (unit === 's' ? 1000 : 1))) return `${value}${unit}`;
  }
  return `${us / US_PER_UNIT.ms}ms`;
}

/** Parses comma-separated durations to seconds, sorted and without duplicates. Throws what `parseDuration` throws. */
export function parseHorizons(text: string): number[] {
  return [...new Set(text.split(',').map((part) => parseDuration(part) / 1e6))].sort((a, b) => a - b);
}

/** Of the commands that fill a store. */
export const OTHER_STORE = ['--other-store', 'fill a store that the service of DATA_DIR does not use yet, to move to it'] as const;
