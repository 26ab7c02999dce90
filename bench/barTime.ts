import { BarTimeDoubt } from '../src/engine/memory/BarTimeDoubt.ts';
import { BarOpenings } from '../src/ticks/BarOpenings.ts';
import { readTickFile } from '../src/ticks/import/streamTickFile.ts';
import type { Bench } from './Bench.ts';

/** Files of ticks; those of one series follow each other, joined by `+`: `gold.csv.gz,silver-1.csv.gz+silver-2.csv.gz`. */
const SERIES = (process.env['SERIES'] ?? '').split(',').filter((text) => text !== '');
const PERIODS_S = [10, 60, 300];
const DAYS = [1, 2, 3, 5, 10, 20];
const DAY_S = 86_400;
const LIVE_DAYS = 10;

/** Beginning in seconds, high, low, close. */
type Bar = { readonly startS: number; high: number; low: number; close: number };

async function barsOf(files: readonly string[], periodS: number): Promise<Bar[]> {
  const bars: Bar[] = [];
  for (const file of files) {
    const { timesUs, prices } = (await readTickFile(file)).series;
    for (const [i, us] of timesUs.entries()) {
      const startS = Math.floor(us / 1e6 / periodS) * periodS;
      const price = prices[i]!;
      const last = bars.at(-1);
      if (last?.startS === startS) Object.assign(last, { high: Math.max(last.high, price), low: Math.min(last.low, price), close: price });
      else if (last === undefined || startS > last.startS) bars.push({ startS, high: price, low: price, close: price });
    }
  }
  return bars;
}

/** Whether bars whose timestamps are `truth` and are read as `read` are doubted. */
function isDoubted(bars: readonly Bar[], periodS: number, truth: 'open' | 'close', read: 'open' | 'close'): boolean {
  const openings = new BarOpenings(periodS * 1e6, read);
  const shiftS = (truth === 'close' ? periodS : 0) + (read === 'open' ? periodS : 0);
  for (const { startS, high, low, close } of bars) openings.push((startS + shiftS) * 1e6, close, high, low);
  const evidence = openings.evidence();
  return evidence !== null && evidence.barTime !== read;
}

/** Whether a series that is asked after every bar is ever doubted, and after how many days first. */
function firstDoubt(bars: readonly Bar[], periodS: number, truth: 'open' | 'close', read: 'open' | 'close'): number | null {
  const doubt = new BarTimeDoubt(periodS * 1000);
  doubt.readAs(read);
  const shiftS = (truth === 'close' ? periodS : 0) + (read === 'open' ? periodS : 0);
  for (const { startS, high, low, close } of bars) {
    doubt.push((startS + shiftS) * 1000, close, { high, low });
    if (doubt.text() !== undefined) return (startS - bars[0]!.startS) / DAY_S;
  }
  return null;
}

export const bench: Bench = {
  name: 'barTime',
  about: 'how many wrong and right readings of the timestamps of bars are doubted, by days, on bars made from ticks (SERIES names files)',
  async run() {
    const counts = new Map<string, [wrong: number, of: number, right: number, of: number]>();
    const live: string[][] = [];
    for (const periodS of PERIODS_S) {
      const found = { wrong: [] as number[], right: 0, readings: 0 };
      for (const text of SERIES) {
        const bars = await barsOf(text.split('+'), periodS);
        const lengthDays = bars.length === 0 ? 0 : (bars.at(-1)!.startS - bars[0]!.startS) / DAY_S;
        if (lengthDays >= LIVE_DAYS)
          for (const truth of ['open', 'close'] as const) {
            found.readings++;
            const wrong = firstDoubt(bars, periodS, truth, truth === 'open' ? 'close' : 'open');
            if (wrong !== null) found.wrong.push(wrong);
            if (firstDoubt(bars, periodS, truth, truth) !== null) found.right++;
          }
        const days = [...new Set(bars.map(({ startS }) => Math.floor(startS / DAY_S)))];
        for (const length of DAYS)
          for (let at = 0; at + length <= days.length; at += Math.max(1, length >> 1)) {
            const part = bars.filter(({ startS }) => startS >= days[at]! * DAY_S && startS < (days[at + length - 1]! + 1) * DAY_S);
            const key = `${periodS}/${length}`;
            const count = counts.get(key) ?? [0, 0, 0, 0];
            counts.set(key, count);
            for (const truth of ['open', 'close'] as const)
              for (const read of ['open', 'close'] as const) {
                const [found, all] = truth === read ? ([2, 3] as const) : ([0, 1] as const);
                count[all]++;
                if (isDoubted(part, periodS, truth, read)) count[found]++;
              }
          }
      }
      const days = found.wrong.toSorted((a, b) => a - b);
      const late = days.length === 0 ? '' : `${days[days.length >> 1]!.toFixed(1)}, ${days.at(-1)!.toFixed(1)}`;
      live.push([`${periodS} s`, `${days.length} of ${found.readings}`, late, `${found.right} of ${found.readings}`]);
    }
    return {
      about: [
        `${SERIES.length} series; stretches of so many days that overlap by half. A stretch is read in both ways, stamped in both ways.`,
      ],
      tables: [
        {
          title: 'Readings that are doubted',
          head: ['bars', 'days', 'wrong', 'right'],
          lines: [...counts].map(([key, [wrong, wrongs, right, rights]]) => {
            const [periodS, length] = key.split('/');
            return [`${periodS} s`, length!, `${wrong} of ${wrongs} (${Math.round((100 * wrong) / wrongs)} %)`, `${right} of ${rights}`];
          }),
        },
        {
          title: `Series of at least ${LIVE_DAYS} days that are ever doubted, asked after every bar`,
          head: ['bars', 'wrong', 'first after days (median, most)', 'right'],
          lines: live,
        },
      ],
    };
  },
};
