import { type BarOpenings, looksText, readText, type StampEvidence } from '../BarOpenings.ts';
import { formatTimestamp } from '../timestamps.ts';
import type { Advice, Finding, ImportedBars, ImportSink } from './ImportReport.ts';
import { command, finding, source } from './findings/words.ts';

/** As `barLength`: bars lie apart by whole numbers of their length, within this fraction of it. */
const MAX_UNEVEN = 0.05;
/** Steps from a bar to the next one for a finding. */
const LEAST_STEPS = 100;
/**
 * Move from a close to the next open, over that from an open to the next close: at most 1.45 in 5,564 stretches of 100 bars of 10 s to 5 min made
 * from ticks of 22 markets (0.96 from 1 min on). Where the columns are swapped, it is the reciprocal.
 */
const SWAPPED = 1.5;

/** Looks for bars of other lengths, and for swapped opens and closes. */
export class BarWatch {
  readonly #periodUs: number;
  #last = { endUs: NaN, open: NaN, close: NaN, isUneven: false };
  #uneven = 0;
  #firstUs = NaN;
  #steps = 0;
  #acrossBars = 0;
  #overTwoBars = 0;

  constructor(periodUs: number) {
    this.#periodUs = periodUs;
  }

  /** The next bar; `open` may be missing. */
  push(endUs: number, close: number, open = NaN): void {
    const last = this.#last;
    // The last bar of a file may not have ended.
    if (last.isUneven && this.#uneven++ === 0) this.#firstUs = last.endUs;
    const periods = (endUs - last.endUs) / this.#periodUs;
    this.#last = { endUs, open, close, isUneven: Math.abs(periods - Math.max(1, Math.round(periods))) > MAX_UNEVEN };
    if (Number.isNaN(open) || Math.round(periods) !== 1) return;
    this.#steps++;
    this.#acrossBars += Math.abs(Math.log(open / last.close));
    this.#overTwoBars += Math.abs(Math.log(close / last.open));
  }

  findings(): Finding[] {
    const found: Finding[] = [];
    if (this.#uneven > 0)
      found.push(
        finding(
          'bars.uneven',
          'warning',
          `The bars last ${this.#periodUs / 1e6} s, and ${this.#uneven} of them lie no whole number of bars after the one before, the first ends at ${formatTimestamp(this.#firstUs)} UTC: some have another length.`,
          [source('Export bars of one length into each file.')],
          this.#uneven,
        ),
      );
    if (this.#steps >= LEAST_STEPS && this.#acrossBars > SWAPPED * this.#overTwoBars)
      found.push(
        finding(
          'bars.swapped',
          'warning',
          `Open and close look swapped: from a close to the next open the price moves ${Math.min(99, this.#acrossBars / this.#overTwoBars).toFixed(1)} times as much as from an open to the next close.`,
          [command('Look at the file; if they are, name its columns: --columns time=NAME,open=NAME,high=NAME,low=NAME,close=NAME.')],
        ),
      );
    return found;
  }
}

/** The sink, whose bars are also looked at. */
export function watched(sink: ImportSink, openings: BarOpenings, bars: BarWatch): ImportSink {
  return {
    add: (timesUs, prices) => sink.add(timesUs, prices),
    addBars(endsUs, closes, ranges) {
      endsUs.forEach((endUs, i) => {
        openings.push(endUs, closes[i], ranges?.high[i], ranges?.low[i]);
        bars.push(endUs, closes[i], ranges?.open[i]);
      });
      sink.addBars?.(endsUs, closes, ranges);
    },
  };
}

/** Whether the timestamps of bars may be something else than they were read as. */
export function barTime({ barTime: read }: ImportedBars, looks: StampEvidence | null): Finding[] {
  const seems = looks === null ? '' : ` ${looksText(looks)}`;
  const advice: readonly Advice[] = [
    source('Ask the source: exchanges, ccxt, Freqtrade, MetaTrader and Yahoo stamp the beginning of a bar, some others its end.'),
    command(`Then say it: ${looks === null ? '--bar-time open or --bar-time close' : `--bar-time ${looks.barTime}`}.`),
  ];
  const unknown =
    'The file does not say whether its timestamps are the beginnings or the ends of the bars; they were read as the beginnings, so that no close counts too early.';
  if (read === null) return [finding('bars.time_unknown', 'warning', `${unknown}${seems}`, advice)];
  if (looks === null || looks.barTime === read) return [];
  return [finding('bars.time_doubtful', 'warning', `${readText(read)}${seems}`, advice)];
}
