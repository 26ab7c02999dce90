import { readSettings } from '../src/core/config/settings.ts';
import { type Random, seededRandom } from '../src/core/Random.ts';
import { US_PER_SECOND } from '../src/core/units.ts';
import { type ReplayOptions, replayTicks } from '../src/engine/forecast/replayTicks.ts';
import { openLocalForecaster } from '../src/service/app/openLocalForecaster.ts';
import type { TickSeries } from '../src/ticks/TickSeries.ts';
import { readSeries } from '../training/bars/barPlan.ts';
import { makeBars } from '../training/bars/makeBars.ts';
import { ece, expectedEce } from '../training/metrics/probability.ts';
import type { Bench } from './Bench.ts';
import { seriesOf } from './ownMarket.ts';

const DAY_US = 86_400 * US_PER_SECOND;
const BAR_MS = 60_000;
const DRAWS = 200;
/** Horizon, and from one window to the next, seconds. The outcomes of the last one overlap: its memory learns from those that do not. */
const OF_TICKS = [
  [60, 301],
  [300, 301],
  [1800, 1801],
  [1800, 181],
] as const;
const OF_BARS = [
  [300, 300],
  [1800, 1800],
  [1800, 180],
] as const;

/** Probabilities of a cell as served, at the default threshold, with outcomes and days. */
type Answers = { readonly p: Float64Array; readonly y: Uint8Array; readonly days: readonly number[] };

type Forecaster = Awaited<ReturnType<typeof openLocalForecaster>>['forecaster'];

async function answersOf(forecaster: Forecaster, series: TickSeries, options: ReplayOptions): Promise<Answers> {
  const [p, y, days]: [number[], number[], number[]] = [[], [], []];
  for await (const { timeUs, probability, outcome } of replayTicks(forecaster, series, options)) {
    if (probability === null || typeof outcome !== 'number') continue;
    p.push(probability);
    y.push(outcome);
    days.push(Math.floor(timeUs / DAY_US));
  }
  return { p: Float64Array.from(p), y: Uint8Array.from(y), days };
}

/** Mean calibration error of the same days if the errors of each whole day change their sign by chance: of probabilities without any bias. */
function eceOfDays({ p, y, days }: Answers, random: Random): number {
  let sum = 0;
  for (let draw = 0; draw < DRAWS; draw++) {
    const signs = new Map(days.map((day) => [day, 0]));
    for (const day of signs.keys()) signs.set(day, random.uniform() < 0.5 ? -1 : 1);
    sum += ece(
      p,
      p.map((value, at) => value - signs.get(days[at])! * (value - y[at])),
    );
  }
  return sum / DRAWS;
}

function lineOf(names: readonly string[], answers: Answers, isApart: boolean): string[] {
  const { p, y, days } = answers;
  const random = seededRandom(1);
  const text = (value: number): string => value.toFixed(4);
  const perfect = isApart ? text(expectedEce(p, random, DRAWS)) : '–';
  return [...names, String(y.length), String(new Set(days).size), text(ece(p, y)), perfect, text(eceOfDays(answers, random))];
}

export const bench: Bench = {
  name: 'calibration',
  about: 'Calibration errors as served with the memory of the series, next to those of a perfect model on as many outcomes.',
  takesFiles: true,
  async run(only = '', { files = [] } = {}) {
    if (files.length === 0) throw new Error('Name the files of one market or more: npm run bench -- calibration MARKET-YYYY-MM.csv.gz ...');
    const { forecaster, close } = await openLocalForecaster(readSettings());
    const lines: string[][] = [];
    const add = async (names: readonly string[], series: TickSeries, options: ReplayOptions): Promise<void> => {
      if (!names.join(' ').includes(only)) return;
      lines.push(lineOf(names, await answersOf(forecaster, series, options), options.everyUs >= options.horizonUs));
    };
    const spans = ([horizonS, everyS]: readonly [number, number]) => ({
      horizonUs: horizonS * US_PER_SECOND,
      everyUs: everyS * US_PER_SECOND,
    });
    try {
      for (const [name, own] of seriesOf(files)) {
        const series = await readSeries(own);
        const { series: closes, ranges } = makeBars(series, BAR_MS);
        const namesOf = (kind: string, [horizonS, everyS]: readonly [number, number]) => [name, kind, `${horizonS} s`, `${everyS} s`];
        for (const cell of OF_TICKS) await add(namesOf('ticks', cell), series, { ticks: 500, ...spans(cell) });
        for (const cell of OF_BARS)
          await add(namesOf('bars of 1 min', cell), closes, { ticks: 501, ...spans(cell), bars: { periodMs: BAR_MS, ranges } });
      }
    } finally {
      await close();
    }
    return {
      about: [],
      tables: [
        {
          title: 'Calibration error as served, over 15 bins of equal mass',
          head: [
            'market',
            'input',
            'horizon',
            'one window in',
            'windows',
            'days',
            'error',
            'of a perfect model',
            'of errors with random signs by day',
          ],
          lines,
        },
      ],
    };
  },
};
