import { readdirSync } from 'node:fs';
import * as path from 'node:path';
import { readSettings } from '../src/core/config/settings.ts';
import { BPS_PER_UNIT, US_PER_SECOND } from '../src/core/units.ts';
import { labelOrigin } from '../src/engine/features/labelOrigin.ts';
import { sessionGapS } from '../src/engine/features/sessionGap.ts';
import type { Forecaster } from '../src/engine/forecast/Forecaster.ts';
import { originOf } from '../src/engine/forecast/memoryAt.ts';
import { replayOrigins } from '../src/engine/forecast/replayTicks.ts';
import { NO_RANGES, RANGE_LEVELS, correctionOf, withRange, type RangeOutcomes } from '../src/engine/memory/ranges.ts';
import { SeriesMemory } from '../src/engine/memory/SeriesMemory.ts';
import { wilsonInterval } from '../src/engine/scoring/wilsonInterval.ts';
import { openLocalForecaster } from '../src/service/app/openLocalForecaster.ts';
import { readTickFile } from '../src/ticks/import/streamTickFile.ts';
import type { Bench } from './Bench.ts';

/** Folder of months of ticks, one file a month, `<series>-YYYY-MM.csv.gz`, that the shipped version was not trained on. */
const FOLDER = process.env['MONTHS'] ?? '';
const HORIZONS_S = [60, 300, 1800];
const TICKS = 500;
/** Windows at 60 s: one in four minutes. */
const LEAST_EVERY_S = 240;
/** Quantiles of the size of a normal move. */
const NORMAL = [0.674489750196082, 1.2815515655446, 1.64485362695147];
/** A run of outcomes, and the coverage of 90 % ranges that it should have. */
const RUN = 100;
const RUN_WITHIN = [0.84, 0.96] as const;
/** Prices of the chance: so many standard deviations above the last one. */
const PRICES = [0.25, 0.5, 1, 2];

const WAYS = ['alone', 'series', 'ewma', 'ewmaCorrected'] as const;
type Way = (typeof WAYS)[number];

type Window = {
  /** Size of the move, basis points. */
  readonly move: number;
  /** Half of the range by way and level, basis points; NaN for none. */
  readonly ranges: Readonly<Record<Way, readonly number[]>>;
  /** Squared errors of the chance that the price is above each of PRICES: ours, and that of a normal move. */
  readonly above: readonly (readonly [number, number])[];
};

/** The windows of one horizon of a series in time order; its memory and the correction of EWMA learn from one to the next. */
async function windowsOf(forecaster: Forecaster, files: readonly string[], horizonS: number): Promise<Window[]> {
  const memory = new SeriesMemory();
  const windows: Window[] = [];
  let corrected: RangeOutcomes = NO_RANGES;
  const horizonUs = horizonS * US_PER_SECOND;
  const everyUs = Math.max(horizonS + 1, LEAST_EVERY_S) * US_PER_SECOND;
  for (const file of files) {
    const { series } = await readTickFile(file);
    let known = 0;
    for (const origin of replayOrigins(series, { ticks: TICKS, horizonUs, everyUs })) {
      memory.add(series, known, origin + 1);
      known = origin + 1;
      const [from, lastPrice] = [known - TICKS, series.prices[origin]];
      const window = { timesUs: series.timesUs.subarray(from, known), prices: series.prices.subarray(from, known) };
      const request = { series: window, futureUs: series.timesUs[origin] + horizonUs };
      const { originMs, horizonMs } = originOf(request);
      const options = { detail: true, counterfactual: false, range: RANGE_LEVELS } as const;
      const { detail, remembered } = await forecaster.forecast(request, { ...options, memory: memory.view(horizonMs) });
      if (remembered !== undefined && memory.lastMs === originMs) memory.forecast({ horizonMs, ...remembered });
      const sigma = ((detail!.input.volatility_bps_per_sqrt_s ?? NaN) / BPS_PER_UNIT) * Math.sqrt(horizonS);
      const label = labelOrigin(series, origin, horizonS, sessionGapS((detail!.input.median_gap_ms ?? 0) / 1000));
      if (label.status === 'dropped' || detail!.logit === null || !(sigma > 0)) continue;
      const alone = (await forecaster.forecast(request, options)).detail!;
      const plain = NORMAL.map((quantile) => sigma * quantile);
      const given = plain.map(correctionOf(corrected, plain));
      corrected = withRange(corrected, given, label.move);
      const bpsOf = (bands: typeof alone.range): number[] => bands!.map(({ move_bps: bps }) => bps ?? NaN);
      const above: [number, number][] = [];
      for (const deviations of PRICES) {
        const price = lastPrice * Math.exp(deviations * sigma);
        const chance = (await forecaster.forecast(request, { above: price, memory: memory.view(horizonMs) })).outlook!.above!.probability;
        const isAbove = label.move > deviations * sigma ? 1 : 0;
        if (chance !== null) above.push([(chance - isAbove) ** 2, (1 - normal(deviations) - isAbove) ** 2]);
      }
      windows.push({
        move: Math.abs(label.move) * BPS_PER_UNIT,
        ranges: {
          ...{ alone: bpsOf(alone.range), series: bpsOf(detail!.range) },
          ewma: NORMAL.map((quantile) => sigma * quantile * BPS_PER_UNIT),
          ewmaCorrected: given.map((value) => value * BPS_PER_UNIT),
        },
        above,
      });
    }
    memory.add(series, known);
  }
  return windows;
}

/** Distribution of a standard normal number, to 1e-7 (Abramowitz and Stegun 26.2.17). */
function normal(x: number): number {
  const t = 1 / (1 + 0.2316419 * x);
  const sum = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return 1 - (Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI)) * sum;
}

/** Windows that have a range of this level by every way. */
const withLevel = (windows: readonly Window[], at: number): Window[] =>
  windows.filter(({ ranges }) => WAYS.every((way) => Number.isFinite(ranges[way][at])));

const shareOf = (some: readonly Window[], way: Way, at: number): number =>
  some.filter(({ move, ranges }) => move <= ranges[way][at]).length / some.length;

/** Mean quantile loss of all levels, basis points. */
function lossOf(windows: readonly Window[], way: Way): number {
  const losses = RANGE_LEVELS.map((level, at) => {
    const some = withLevel(windows, at);
    const loss = ({ move, ranges }: Window): number => {
      const beyond = move - ranges[way][at];
      return beyond > 0 ? level * beyond : (level - 1) * beyond;
    };
    return some.reduce((sum, window) => sum + loss(window), 0) / some.length;
  });
  return losses.reduce((sum, loss) => sum + loss, 0) / losses.length;
}

/** Fraction of runs of outcomes whose coverage is within bounds. */
function steadyRuns(windows: readonly Window[], way: Way): number {
  const at = RANGE_LEVELS.indexOf(0.9);
  const some = withLevel(windows, at);
  const runs = Array.from({ length: Math.floor(some.length / RUN) }, (_, i) => shareOf(some.slice(i * RUN, (i + 1) * RUN), way, at));
  return runs.filter((share) => share >= RUN_WITHIN[0] && share <= RUN_WITHIN[1]).length / runs.length;
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

function lineOf(name: string, windows: readonly Window[]): string[] {
  const most = withLevel(windows, 2);
  const [low, high] = wilsonInterval(Math.round(shareOf(most, 'series', 2) * most.length), most.length);
  return [
    name,
    String(windows.length),
    ...(['alone', 'series', 'ewmaCorrected'] as const).map((way) =>
      RANGE_LEVELS.map((_, at) => percent(shareOf(withLevel(windows, at), way, at))).join(' / '),
    ),
    `${percent(low)} to ${percent(high)}`,
    percent(steadyRuns(windows, 'alone')),
    percent(steadyRuns(windows, 'series')),
    ...(['alone', 'series', 'ewma', 'ewmaCorrected'] as const).map((way) => lossOf(windows, way).toFixed(3)),
    percent(lossOf(windows, 'series') / lossOf(windows, 'ewmaCorrected') - 1),
  ];
}

function aboveLine(name: string, windows: readonly Window[]): string[] {
  const all = windows.flatMap(({ above }) => above);
  const mean = (at: 0 | 1): number => all.reduce((sum, one) => sum + one[at], 0) / all.length;
  return [
    name,
    String(all.length),
    mean(0).toFixed(4),
    mean(1).toFixed(4),
    `${mean(0) < mean(1) ? '+' : ''}${(1 - mean(0) / mean(1)).toFixed(4)}`,
  ];
}

export const bench: Bench = {
  name: 'ranges',
  about: 'Coverage and quantile loss of ranges on months that the version was not trained on.',
  async run() {
    if (FOLDER === '') throw new Error('MONTHS must name a folder of files <series>-YYYY-MM.csv.gz that the version was not trained on.');
    const files = readdirSync(FOLDER).filter((file) => /-\d{4}-\d\d\..*gz$/.test(file));
    const names = [...new Set(files.map((file) => file.replace(/-\d{4}-\d\d\..*$/, '')))];
    const open = await openLocalForecaster(readSettings({ RUNTIME_BACKEND: 'wasm' }));
    const lines: string[][] = [];
    const chances: string[][] = [];
    const pooled: Window[] = [];
    let isFailed = false;
    try {
      for (const name of names)
        for (const horizonS of HORIZONS_S) {
          const own = files.filter((file) => file.startsWith(`${name}-`)).sort();
          const paths = own.map((file) => path.join(FOLDER, file));
          const windows = await windowsOf(open.forecaster, paths, horizonS);
          pooled.push(...windows);
          lines.push(lineOf(`${name} ${horizonS} s`, windows));
          chances.push(aboveLine(`${name} ${horizonS} s`, windows));
          const held = shareOf(withLevel(windows, 2), 'series', 2);
          if (held < 0.88 || held > 0.92) isFailed = true;
        }
    } finally {
      await open.close();
    }
    const head = ['series', 'windows', 'alone: 50 / 80 / 90 %', 'with its series', 'EWMA, corrected', '90 % interval of the third'];
    return {
      isFailed,
      about: [
        `${names.length} series, windows of ${TICKS} ticks whose outcomes do not overlap, at the thresholds of the shipped version.`,
        'alone: each window by itself; with its series: with its memory, and corrected by its outcomes; EWMA: sigma(600) * sqrt(H) * the quantile of a normal move, as it is and with the same correction.',
        `steady: runs of ${RUN} outcomes in which ${percent(RUN_WITHIN[0])} to ${percent(RUN_WITHIN[1])} of the 90 % ranges held. loss: mean quantile loss of the three levels, basis points.`,
      ],
      tables: [
        {
          title: 'Ranges that held',
          head: [
            ...head,
            'steady alone',
            'steady with series',
            'loss alone',
            'loss with series',
            'loss EWMA',
            'loss EWMA corrected',
            'against it',
          ],
          lines: [...lines, lineOf('all', pooled)],
        },
        {
          title: `Brier score of the chance above prices ${PRICES.join(', ')} sigma above the last one`,
          head: ['series', 'chances', 'tickmark', 'normal move, EWMA sigma', 'skill'],
          lines: [...chances, aboveLine('all', pooled)],
        },
      ],
    };
  },
};
