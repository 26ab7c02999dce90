import { plural } from '../../../core/plural.ts';
import { formatTimestamp } from '../../timestamps.ts';
import type { Finding } from '../ImportReport.ts';
import type { QualityMonitor } from '../QualityMonitor.ts';
import { command, duration, finding, percent, source, type QualityContext } from './words.ts';

const MIN_FLAT_US = 3600e6;
const MIN_FLAT_TICKS = 50;
/** Of a market whose price changes rarely, so many usual stretches of one price are no stall of the feed. */
const USUAL_STRETCHES = 25;

export function twoLevels({ levels }: QualityMonitor): Finding[] {
  if (!levels.hasTwoLevels && levels.jump !== undefined)
    return [
      finding(
        'price.two_levels',
        'error',
        `The price goes from ${levels.jump[0]} to ${levels.jump[1]} in one step and stays there: two markets, or two units, are joined in one file.`,
        [source('Cut the file there, or export each market on its own; of a split, adjust the prices before it.')],
      ),
    ];
  if (!levels.hasTwoLevels) return [];
  const [a, b] = levels.levels;
  return [
    finding(
      'price.two_levels',
      'error',
      `The price jumps between two levels, ${a} and ${b}, ${plural(levels.switches, 'time', 'times')}: two markets, or two kinds of prices, are mixed in one column.`,
      [source('Export each market on its own.'), command('Or say which rows are read: --symbol COLUMN=VALUE or --event COLUMN=VALUE.')],
      levels.switches,
    ),
  ];
}

/** So many prices of 0 or less are no gaps: the column is another one, or the market trades below 0. */
const MAX_NOT_POSITIVE = 0.1;

export function notPositive({ counts, kind, ticks, lastLine, lastRefusedLine }: QualityMonitor, { rows, word }: QualityContext): Finding[] {
  const count = counts.get('price.not_positive')?.count ?? 0;
  if (count === 0 || ticks === 0) return [];
  if (kind !== 'quotes' && count > MAX_NOT_POSITIVE * rows)
    return [
      finding(
        'price.below_zero',
        'error',
        `${percent(count / rows)} of the prices are 0 or less: prices and spreads below 0 are not supported.`,
        [source('Check that the column is the price; of a market that trades below 0 there are no forecasts.')],
        count,
      ),
    ];
  if (lastRefusedLine <= lastLine) return [];
  return [
    // A quote lacks a side at a limit of the day, and both when the market has closed.
    finding(
      'price.ends_without',
      kind === 'quotes' ? 'warning' : 'error',
      `The file ends with prices of 0 or less, from ${word} ${lastLine + 1} on: the last usable tick is older than the file.`,
      [source('Export it again, or remove its last rows if the older ticks are what you want.')],
    ),
  ];
}

/** More spikes than this fraction of the ticks are no slips. */
const MAX_SPIKES = 0.01;

export function spikes({ ticks: all, spikes: { ticks, firstUs, worst } }: QualityMonitor): Finding[] {
  if (ticks === 0) return [];
  const isMany = ticks > MAX_SPIKES * all;
  const text = `${plural(ticks, 'tick jumps', 'ticks jump')} away and the price comes back within five ticks, by up to ${Number((100 * worst).toPrecision(2))} %, the first at ${formatTimestamp(firstUs)}.`;
  return [
    finding(
      'price.spike',
      isMany ? 'error' : 'warning',
      isMany ? `${text.slice(0, -1)}: so many are no slips (${percent(ticks / all)} of the ticks).` : text,
      isMany
        ? [
            source('Prices of two sources, or trades that were late or taken back, are mixed: export without them.'),
            command('Or say which rows are read: --event COLUMN=VALUE.'),
          ]
        : [
            source('Compare with another source: wrong ticks make moves that never happened.'),
            command('Or leave them out: tickmark doctor FILE --fix.'),
          ],
      ticks,
    ),
  ];
}

export function flatStretch({ flat, ticks, changes }: QualityMonitor): Finding[] {
  const usualTicks = (ticks - flat.ticks) / Math.max(1, changes);
  if (flat.lengthUs < MIN_FLAT_US || flat.ticks < Math.max(MIN_FLAT_TICKS, USUAL_STRETCHES * usualTicks)) return [];
  const text = `The price does not change for ${duration(flat.lengthUs)} over ${plural(flat.ticks, 'tick', 'ticks')} from ${formatTimestamp(flat.fromUs)}.`;
  return [finding('price.flat', 'warning', text, [source('Check whether the feed stalled there, and remove that part.')], flat.ticks)];
}
