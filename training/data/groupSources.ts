import * as path from 'node:path';
import { ServiceError } from '../../src/core/ServiceError.ts';
import { US_PER_SECOND } from '../../src/core/units.ts';
import { tickFileStem } from '../../src/ticks/import/refuseForeign.ts';
import { firstAtOrAfter } from '../../src/ticks/searchTimes.ts';
import { nearestName } from '../../src/core/nearestName.ts';
import { type Bars, coarserBars } from './BarCloses.ts';

/** The name of a series: its file name without folder and extensions. */
export const instrumentName = (file: string): string => tickFileStem(path.basename(file));

type Groups = Readonly<Record<string, readonly string[]>>;

/** Most instruments that a message names. */
const SHOWN_NAMES = 10;

/**
 * The user's groups with members as instrument names; the user may write a member as a file, with folder and extensions. Throws
 * ServiceError command.invalid for an unknown instrument, and for a group with the name of an instrument that is not in it.
 */
export function resolveGroups(groups: Groups, names: readonly string[]): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(groups).map(([group, members]) => {
      const resolved = members.map((member) => resolveMember(group, member, names));
      if (names.includes(group) && !resolved.includes(group)) {
        throw new ServiceError(
          'command.invalid',
          `The group ${group} has the name of an instrument that is not in it. Choose another name.`,
        );
      }
      return [group, resolved];
    }),
  );
}

function resolveMember(group: string, member: string, names: readonly string[]): string {
  const found = [member, instrumentName(member)].find((name) => names.includes(name));
  if (found !== undefined) return found;
  const nearest = nearestName(instrumentName(member), names);
  const known = names.slice(0, SHOWN_NAMES).join(', ') + (names.length > SHOWN_NAMES ? ` and ${names.length - SHOWN_NAMES} more` : '');
  const hint = nearest === null ? `the data has ${known}` : `did you mean ${nearest}? The data has ${known}`;
  throw new ServiceError('command.invalid', `The group ${group} names ${member}, which is not an instrument of the data: ${hint}.`);
}

/**
 * Builds one group for each connected set of sources, connected by the user's groups and by pairs that move together. Its name is the
 * user's; if it contains two of the user's groups, their names joined by `+`; if none, its members joined by `+`.
 *
 * @param groups from `resolveGroups`
 * @returns the group of every source, and a sentence for each detected pair that was not in one group of the user
 */
export function groupSources(
  names: readonly string[],
  groups: Groups,
  pairs: readonly CorrelatedPair[],
): { groupOf: Map<string, string>; notes: string[] } {
  const parent = new Map(names.map((name) => [name, name]));
  const root = (name: string): string => {
    let at = name;
    for (let up = parent.get(at); up !== undefined && up !== at; up = parent.get(at)) at = up;
    return at;
  };
  const join = (a: string, b: string): void => void parent.set(root(a), root(b));
  for (const members of Object.values(groups)) members.forEach((member) => join(member, members[0] ?? member));
  const unsaid = pairs.filter(({ a, b }) => root(a) !== root(b));
  for (const { a, b } of pairs) join(a, b);

  const groupOf = new Map<string, string>();
  for (const top of new Set(names.map(root))) {
    const members = names.filter((name) => root(name) === top).sort();
    const given = Object.keys(groups).filter((group) => groups[group]?.some((member) => members.includes(member)));
    const name = (given.length > 0 ? given.sort() : members).join('+');
    for (const member of members) groupOf.set(member, name);
  }
  return { groupOf, notes: unsaid.map(noteOf) };
}

function noteOf({ a, b, correlation, bars, barS, shiftH }: CorrelatedPair): string {
  const count = bars.toLocaleString('en-US');
  const over = barS === 60 ? `${count} minutes` : `${count} bars of ${barS} s`;
  const how = correlation > 0 ? 'move together' : 'move against each other';
  const moved = shiftH === undefined ? '' : ` if ${b} is moved by ${shiftH} h`;
  return `${a} and ${b} ${how}${moved} (r = ${correlation.toFixed(2)} over ${over}): one group.`;
}

/** The bars of one instrument, by its name. */
type NamedBars = { readonly name: string; readonly bars: Bars };

/** Two series that move together. */
export type CorrelatedPair = {
  readonly a: string;
  readonly b: string;
  /** Pearson's r of the returns over the same bars. */
  readonly correlation: number;
  /** Number of common returns, and the length of their bars in seconds. */
  readonly bars: number;
  readonly barS: number;
  /** Common span, microseconds: start of the first bar to end of the last. */
  readonly fromUs: number;
  readonly toUs: number;
  /** Hours by which the times of `b` are moved to match those of `a`: they are in another zone; absent: as they are. */
  readonly shiftH?: number;
};

const MIN_CORRELATION = 0.5;
/** With 30 returns of two independent series, |r| reaches 0.5 in one of 200 pairs. */
export const MIN_COMMON_RETURNS = 30;

/** Longer bars, seconds, for two series with too few adjacent bars in common: sparse markets skip minutes. */
const LONGER_BARS_S = [300, 900, 3600] as const;

/** Zones of sources lie so many hours apart at most. */
const MOST_SHIFT_H = 26;
/** Bars of a stretch that is compared at each shift: the first, the middle and the last one, since summer time moves a part only. */
const STRETCH = 700;
/** One market moves with itself by this much, on bars that are long enough; related ones by less. */
const MIN_SAME = 0.75;
/** Fisher's z of a correlation that no chance gives at any shift or length of bars. */
const MIN_Z = 6;
/** A return counts as at most so many mean ones: single jumps make no correlation. */
const MOST_MEANS = 5;

/**
 * Pairs whose log returns have |r| of at least 0.5, in the order of `sources`. Returns are compared only over equal spans of time: both
 * series have both bars of a return, and the bars are adjacent. The coarser bars of the two series are used, or longer ones if these are
 * too few. One market also moves with itself after it was shifted by whole hours, scaled, cut or thinned: then on longer bars, with a correlation that is
 * not by chance.
 */
export function findCorrelated(sources: readonly NamedBars[]): CorrelatedPair[] {
  const pairs: CorrelatedPair[] = [];
  sources.forEach((a, at) => {
    for (const b of sources.slice(at + 1)) {
      const pair = correlate(a, b);
      const found = pair !== undefined && Math.abs(pair.correlation) >= MIN_CORRELATION ? pair : sameMarket(a, b);
      if (found !== undefined) pairs.push(found);
    }
  });
  return pairs;
}

/** undefined if there are too few common returns, or if one of the two prices never moves. */
export function correlate(a: NamedBars, b: NamedBars): CorrelatedPair | undefined {
  const coarserS = Math.max(a.bars.barS, b.bars.barS);
  for (const barS of [coarserS, ...LONGER_BARS_S]) {
    const { xs, ys, first, last } = commonReturns(coarserBars(a.bars, barS), coarserBars(b.bars, barS));
    if (xs.length < MIN_COMMON_RETURNS) continue;
    const correlation = pearson(xs, ys);
    if (Number.isNaN(correlation)) return undefined;
    const barUs = barS * US_PER_SECOND;
    return { a: a.name, b: b.name, correlation, bars: xs.length, barS, fromUs: first * barUs, toUs: (last + 1) * barUs };
  }
  return undefined;
}

/** Each source is compared with all others. */
const kept = new WeakMap<Bars, Map<number, Bars>>();

function keptBars(bars: Bars, barS: number): Bars {
  const known = kept.get(bars) ?? new Map<number, Bars>();
  kept.set(bars, known);
  const found = known.get(barS) ?? coarserBars(bars, barS);
  known.set(barS, found);
  return found;
}

/** Undefined: at no shift and on no bars. */
function sameMarket(a: NamedBars, b: NamedBars): CorrelatedPair | undefined {
  const coarserS = Math.max(a.bars.barS, b.bars.barS);
  for (const barS of [coarserS, ...LONGER_BARS_S]) {
    const [left, right] = [keptBars(a.bars, barS), keptBars(b.bars, barS)];
    for (let hours = 0; hours <= MOST_SHIFT_H; hours++)
      for (const shiftH of hours === 0 ? [0] : [hours, -hours]) {
        const found = sameStretch(left, right, (shiftH * 3600) / barS);
        if (found === undefined) continue;
        const { correlation, bars, first, last } = found;
        const pair = { a: a.name, b: b.name, correlation, bars, barS };
        const span = { fromUs: first * barS * US_PER_SECOND, toUs: (last + 1) * barS * US_PER_SECOND };
        return shiftH === 0 ? { ...pair, ...span } : { ...pair, ...span, shiftH };
      }
  }
  return undefined;
}

/** The first, the middle or the last stretch that both have in common, if they move as one there and not by chance. */
function sameStretch(a: Bars, b: Bars, shift: number) {
  const from = Math.max(a.index[0], b.index[0] + shift);
  const to = Math.min(a.index.at(-1)!, b.index.at(-1)! + shift) + 1;
  if (to - from <= MIN_COMMON_RETURNS) return undefined;
  for (const start of new Set([from, Math.max(from, (from + to - STRETCH) >> 1), Math.max(from, to - STRETCH)])) {
    const end = Math.min(to, start + STRETCH);
    const { xs, ys, first, last } = commonReturns(between(a, start, end), between(b, start - shift, end - shift), shift);
    const [left, right] = [clipped(xs), clipped(ys)];
    const r = pearson(left, right);
    const size = Math.abs(r);
    if (size >= MIN_SAME && Math.atanh(Math.min(0.999, size)) * Math.sqrt(Math.max(0, weighty(left, right) - 3)) >= MIN_Z)
      return { correlation: r, bars: xs.length, first, last };
  }
  return undefined;
}

/** So many returns weigh as these do: where both markets are now calm, now wild, few returns make the correlation, and chance reaches more. */
function weighty(xs: readonly number[], ys: readonly number[]): number {
  let [xx, yy, both] = [0, 0, 0];
  for (let i = 0; i < xs.length; i++) {
    const [x, y] = [xs[i] ** 2, ys[i] ** 2];
    xx += x;
    yy += y;
    both += x * y;
  }
  return both === 0 ? 0 : Math.min(xs.length, (xx * yy) / both);
}

/** The bars of some indices. */
function between({ barS, index, close }: Bars, from: number, to: number): Bars {
  const [first, end] = [firstAtOrAfter(index, from), firstAtOrAfter(index, to)];
  return { barS, index: index.subarray(first, end), close: close.subarray(first, end) };
}

function clipped(values: readonly number[]): number[] {
  const most = (MOST_MEANS * values.reduce((sum, value) => sum + Math.abs(value), 0)) / values.length;
  return values.map((value) => Math.min(most, Math.max(-most, value)));
}

/** `shift`: bars by which `b` is moved. */
function commonReturns(a: Bars, b: Bars, shift = 0): { xs: number[]; ys: number[]; first: number; last: number } {
  const xs: number[] = [];
  const ys: number[] = [];
  let [first, last] = [0, 0];
  let [i, j, previous] = [0, 0, -2];
  while (i < a.index.length && j < b.index.length) {
    const step = a.index[i] - b.index[j] - shift;
    if (step < 0) i++;
    else if (step > 0) j++;
    else {
      if (a.index[i] === previous + 1) {
        // Common and adjacent, so also adjacent in both lists.
        xs.push(Math.log(a.close[i] / a.close[i - 1]));
        ys.push(Math.log(b.close[j] / b.close[j - 1]));
        if (xs.length === 1) first = previous;
        last = previous + 1;
      }
      previous = a.index[i];
      i++;
      j++;
    }
  }
  return { xs, ys, first, last };
}

/** NaN if one side is constant. */
function pearson(xs: readonly number[], ys: readonly number[]): number {
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [meanX, meanY] = [mean(xs), mean(ys)];
  let [xx, xy, yy] = [0, 0, 0];
  for (let i = 0; i < xs.length; i++) {
    const [dx, dy] = [xs[i] - meanX, ys[i] - meanY];
    xx += dx * dx;
    xy += dx * dy;
    yy += dy * dy;
  }
  return xy / Math.sqrt(xx * yy);
}
