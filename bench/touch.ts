import { readdirSync } from 'node:fs';
import * as path from 'node:path';
import { readSettings } from '../src/core/config/settings.ts';
import { seededRandom } from '../src/core/Random.ts';
import { US_PER_SECOND } from '../src/core/units.ts';
import { FeatureBuilder } from '../src/engine/features/FeatureBuilder.ts';
import { followTouches, labelOrigin } from '../src/engine/features/labelOrigin.ts';
import { sessionGapS } from '../src/engine/features/sessionGap.ts';
import { FLAT_CLOCK, measureBars } from '../src/engine/features/measureBars.ts';
import { midAt, type TouchBy, Touches } from '../src/engine/features/Touches.ts';
import type { Forecaster } from '../src/engine/forecast/Forecaster.ts';
import { logOdds, sigmoid } from '../src/engine/scoring/logOdds.ts';
import { originOf } from '../src/engine/forecast/memoryAt.ts';
import { replayOrigins } from '../src/engine/forecast/replayTicks.ts';
import type { TouchFacts } from '../src/engine/forecast/touch.ts';
import { RANGE_LEVELS } from '../src/engine/memory/ranges.ts';
import { SeriesMemory } from '../src/engine/memory/SeriesMemory.ts';
import { NO_TOUCHES, TOUCH_DISTANCES, touchPart, withTouches } from '../src/engine/memory/TouchOutcomes.ts';
import { clusterBootstrap } from '../src/engine/scoring/clusterBootstrap.ts';
import { firstReached } from '../src/engine/scoring/firstPassage.ts';
import { normalTail } from '../src/engine/scoring/normal.ts';
import { openLocalForecaster } from '../src/service/app/openLocalForecaster.ts';
import { syntheticTicks } from '../src/ticks/syntheticTicks.ts';
import { readTickFile } from '../src/ticks/import/streamTickFile.ts';
import type { TickRequest } from '../src/ticks/parseTickRequest.ts';
import type { LiveWindow } from '../src/ticks/TickWindow.ts';
import { makeBars } from '../training/bars/makeBars.ts';
import { ece } from '../training/metrics/probability.ts';
import type { Bench } from './Bench.ts';

/** Folder of `<series>-YYYY-MM.csv.gz`. */
const FOLDER = process.env['MONTHS'] ?? '';
const HORIZONS_S = [60, 300, 1800];
const BAR_HORIZONS_S = [300, 1800, 7200];
const TICKS = 500;
/** Windows at 60 s and 5 min: one in ten minutes. */
const LEAST_EVERY_S = 600;
/** Levels, standard deviations of EWMA from the last price, on both sides. */
const DISTANCES = [0.25, 0.5, 0.75, 1, 1.5, 2, 3];
/** The pair of levels of which one is reached first: above and below. */
const PAIR = [1, 1.5] as const;
const DAY_US = 86_400 * US_PER_SECOND;
/** Of a level that bid or ask is at already, whose log-odds are finite then. */
const MOST_CHANCE = 0.999;
const WALK = { count: 400_000, regimeSpread: 0, signalStrength: 0, tickSize: 1e-6, medianGapMs: 400 };

/** A level: chances with the series, of the version alone, by the reflected EWMA normal, and by that with the same correction. */
type Level = { readonly day: number; readonly y: 0 | 1; readonly ours: number; readonly alone: number; readonly normal: number; readonly corrected: number }; // prettier-ignore
type Reach = { readonly held: readonly (boolean | null)[] };
type Pair = { readonly given: readonly number[]; readonly first: readonly (0 | 1)[] };
type Scored = { readonly levels: Level[]; readonly reach: Reach[]; readonly pairs: Pair[] };

/** `periodMs`: of its bars. `by`: what reaches the levels. `isFromSide`: their distances are from bid or ask. `isVariant`: measured only if it is named. */
type Source = {
  readonly name: string;
  readonly periodMs?: number;
  readonly by?: TouchBy;
  readonly isFromSide?: boolean;
  readonly isVariant?: boolean;
  read(): AsyncIterable<LiveWindow>;
};
type Window = { readonly series: LiveWindow; readonly origin: number; readonly memory: SeriesMemory };

/** Each window with an outcome; the memory of its series knows the ticks up to its origin. */
async function* windowsOf(source: Source, horizonS: number): AsyncGenerator<Window> {
  const memory = new SeriesMemory(source.periodMs);
  const everyUs = Math.max(horizonS + 1, LEAST_EVERY_S) * US_PER_SECOND;
  for await (const series of source.read()) {
    const origins = replayOrigins(series, { ticks: TICKS, horizonUs: horizonS * US_PER_SECOND, everyUs });
    let known = 0;
    for (const origin of origins) {
      memory.add(series, known, origin + 1);
      known = origin + 1;
      yield { series, origin, memory };
    }
    memory.add(series, known);
  }
}

const features = new FeatureBuilder();

/** The request of a window, its measures and its outcome; null without one. */
function question({ series, origin }: Window, { periodMs = 0, by, isFromSide }: Source, horizonS: number) {
  const cut = (values: Float64Array): Float64Array => values.subarray(origin + 1 - TICKS, origin + 1);
  const window = { timesUs: cut(series.timesUs), prices: cut(series.prices) };
  const { ranges, spreadsBps } = series;
  const bars = ranges && { periodMs, ranges: { open: cut(ranges.open), high: cut(ranges.high), low: cut(ranges.low) } };
  const request = {
    ...{ series: window, bars, futureUs: series.timesUs[origin] + horizonS * US_PER_SECOND },
    spreadsBps: spreadsBps && (() => cut(spreadsBps)),
  };
  const facts = factsOf(request, horizonS);
  if (facts === null) return null;
  const label = labelOrigin(series, origin, horizonS, sessionGapS(facts.gapS, periodMs), periodMs);
  if (label.status === 'dropped') return null;
  const [lastPrice, spreadBps] = [series.prices[origin], spreadsBps?.[origin] ?? NaN];
  /** Where the mid would have to be for the side to be at the last price, so that distances are from the side that triggers a stop. */
  const fromOf = (side: number): number => (isFromSide === true ? lastPrice ** 2 / midAt(lastPrice, side > 0, by, spreadBps) : lastPrice);
  const priceAt = (side: number, distance: number): number => fromOf(side) * Math.exp(side * distance * facts.sigma);
  const prices = [1, -1].flatMap((side) => DISTANCES.map((distance) => priceAt(side, distance)));
  const touches = new Touches(lastPrice, prices, by, spreadBps);
  followTouches(series, label, touches);
  const pair = new Touches(lastPrice, [priceAt(1, PAIR[0]), priceAt(-1, PAIR[1])], by, spreadBps);
  const isTriggered = pair.first !== null;
  followTouches(series, label, pair);
  const mids = new Touches(lastPrice, [], 'mid');
  followTouches(series, label, mids);
  /** Where the mid is when bid or ask reaches a level, standard deviations; 0: it is there. */
  const distances = prices.map((price) => {
    const side = price >= lastPrice ? 1 : -1;
    return Math.max(0, (side * Math.log(midAt(price, side > 0, by, spreadBps) / lastPrice)) / facts.sigma);
  });
  return { request, lastPrice, prices, distances, touches, pair: isTriggered ? null : pair, mids, facts };
}

/** As the scorers have them; null: the window has none. */
function factsOf({ series, bars, futureUs }: TickRequest, horizonS: number): TouchFacts | null {
  if (bars !== undefined) {
    const flat = measureBars(series, bars, horizonS * 1000, FLAT_CLOCK);
    return typeof flat === 'string' ? null : { horizonS, gapS: 0, noise: 0, sigma: Math.exp(flat.logMoves[2]) };
  }
  const measures = features.read(series, 0, TICKS, futureUs);
  if (typeof measures === 'string' || !(measures.sigmaHorizon > 0)) return null;
  return { horizonS, gapS: measures.medianGapS, noise: measures.cost, sigma: measures.sigmaHorizon };
}

async function score(forecaster: Forecaster, source: Source, horizonS: number): Promise<Scored> {
  const scored: Scored = { levels: [], reach: [], pairs: [] };
  let normal = NO_TOUCHES;
  for await (const window of windowsOf(source, horizonS)) {
    const asked = question(window, source, horizonS);
    if (asked === null) continue;
    const { request, lastPrice, prices, distances, touches, pair, mids, facts } = asked;
    const { originMs, horizonMs } = originOf(request);
    const { outlook, remembered } = await forecaster.forecast(request, {
      ...{ touch: prices, touchBy: source.by, memory: window.memory.view(horizonMs) },
    });
    if (remembered !== undefined && window.memory.lastMs === originMs) window.memory.forecast({ horizonMs, ...remembered });
    const { levels, reach } = outlook!.touch!;
    const day = Math.floor(request.futureUs / DAY_US);
    const { extremes } = mids;
    const chances = levels.map(({ probability }) => probability);
    for (const [at, { probability, version_probability: alone }] of levels.entries()) {
      // A stop that is triggered already has the chance 1.
      if (probability === null || distances[at] === 0) continue;
      const plain = Math.min(MOST_CHANCE, 2 * normalTail(distances[at]));
      const corrected = sigmoid(logOdds(plain) + touchPart(normal, logOdds(plain)));
      scored.levels.push({ day, y: touches.touched[at] ? 1 : 0, ours: probability, alone: alone!, normal: plain, corrected });
    }
    const size = Math.log(Math.max(extremes.high / lastPrice, lastPrice / extremes.low, 1));
    scored.reach.push({ held: reach.map(({ move_bps: bps }) => (bps === null ? null : size <= bps / 1e4)) });
    const [up, down] = [chances[DISTANCES.indexOf(PAIR[0])], chances[DISTANCES.length + DISTANCES.indexOf(PAIR[1])]];
    if (up !== null && down !== null && pair !== null) {
      const { upper, lower, neither } = firstReached(up, down);
      scored.pairs.push({ given: [upper, lower, neither], first: [0, 1, null].map((which) => (pair.first === which ? 1 : 0)) });
    }
    const plain = TOUCH_DISTANCES.map((distance) => logOdds(2 * normalTail(distance)));
    const moved = { up: Math.log(extremes.high / lastPrice), down: Math.log(extremes.low / lastPrice) };
    normal = withTouches(normal, { sigma: facts.sigma, logOdds: plain, reach: RANGE_LEVELS.map(() => NaN) }, moved);
  }
  return scored;
}

const eceOf = (p: readonly number[], y: readonly number[]): number => ece(Float64Array.from(p), Uint8Array.from(y));

/** Brier skill over one of the baselines, with its 95 % interval over days. */
function skillOf(levels: readonly Level[], baseline: 'normal' | 'corrected'): { readonly estimate: number; readonly text: string } {
  const loss = (of: 'ours' | typeof baseline) => levels.map((level) => (level[of] - level.y) ** 2);
  const [ours, theirs] = [loss('ours'), loss(baseline)];
  const sum = (of: readonly number[], weights: Float64Array): number => of.reduce((all, one, at) => all + one * weights[at], 0);
  const { estimate, lower95, upper95 } = clusterBootstrap(
    Int32Array.from(levels, ({ day }) => day),
    (weights) => 1 - sum(ours, weights) / sum(theirs, weights),
    { random: seededRandom(1), draws: 100 },
  );
  return { estimate, text: `${estimate.toFixed(4)} (${lower95.toFixed(4)} to ${upper95.toFixed(4)})` };
}

function lineOf(name: string, { levels, reach, pairs }: Scored): { readonly line: string[]; readonly holds: boolean } {
  const y = levels.map((level) => level.y);
  const errors = (['ours', 'alone', 'normal', 'corrected'] as const).map((of) => eceOf(levels.map((level) => level[of]), y)); // prettier-ignore
  const held = RANGE_LEVELS.map((_, at) => {
    const known = reach.flatMap((one) => (one.held[at] === null ? [] : [one.held[at]]));
    return known.filter(Boolean).length / known.length;
  });
  const skill = skillOf(levels, 'normal');
  const first = eceOf(pairs.flatMap(({ given }) => given), pairs.flatMap((pair) => pair.first)); // prettier-ignore
  const mean = (of: 'y' | 'ours'): string => (levels.reduce((sum, level) => sum + level[of], 0) / levels.length).toFixed(3);
  return {
    holds: errors[0] <= 0.012 && skill.estimate > 0 && held[2] >= 0.88 && held[2] <= 0.92,
    line: [
      ...[name, String(reach.length), mean('y'), mean('ours'), ...errors.map((error) => error.toFixed(4))],
      ...[skill.text, skillOf(levels, 'corrected').text],
      ...[held.map((share) => (100 * share).toFixed(1)).join(' / '), first.toFixed(4)],
    ],
  };
}

const BAR_MS = 60_000;
const WAYS = ['mid', 'bars', 'limit', 'stop', 'near stop'] as const;

/** Each market by its ticks, as bars of one minute, and with orders at the levels, which bid and ask reach. */
function sources(): Source[] {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.csv.gz')).sort(); // prettier-ignore
  const nameOf = (file: string): string => file.replace(/(-\d{4}-\d\d)?\.csv\.gz$/, '');
  return [...new Set(files.map(nameOf))].flatMap((name) =>
    WAYS.map((way) => ({
      name: way === 'mid' ? name : `${name} ${way}`,
      periodMs: way === 'bars' ? BAR_MS : undefined,
      by: way === 'bars' ? undefined : way === 'near stop' ? 'stop' : way,
      isFromSide: way === 'stop',
      isVariant: way !== 'mid',
      async *read() {
        for (const file of files.filter((one) => nameOf(one) === name)) {
          const { series, spreadsBps } = await readTickFile(path.join(FOLDER, file), { keptSpreads: Infinity });
          if (way !== 'bars') yield { ...series, spreadsBps };
          else {
            const { series: closes, ranges } = makeBars(series, BAR_MS);
            yield { ...closes, ranges };
          }
        }
      },
    })),
  );
}

/** Random walks of constant volatility, without and with bounce. */
const WALKS: Source[] = [0, 20].map((bounce) => ({
  name: bounce === 0 ? 'random walk' : 'random walk with bounce',
  async *read() {
    yield syntheticTicks({ seed: 5, ...WALK, spreadTicks: bounce * 1e-3 / WALK.tickSize }); // prettier-ignore
  },
}));

export const bench: Bench = {
  name: 'touch',
  about:
    'Chances that prices are reached, on months that the version was not trained on; --only=bars: as bars of one minute; --only=limit, --only=stop: by bid and ask, distances of stops from the side that triggers them, of --only=near from the mid.',
  async run(only = '') {
    if (FOLDER === '') throw new Error('MONTHS must name a folder of files <series>-YYYY-MM.csv.gz that the version was not trained on.');
    const open = await openLocalForecaster(readSettings({ RUNTIME_BACKEND: 'wasm' }));
    try {
      const lines: string[][] = [];
      let isFailed = false;
      for (const source of [...sources(), ...WALKS])
        for (const horizonS of source.periodMs === undefined ? HORIZONS_S : BAR_HORIZONS_S) {
          const name = `${source.name} ${horizonS} s`;
          if (!name.includes(only) || (source.isVariant === true && only === '')) continue;
          const { line, holds } = lineOf(name, await score(open.forecaster, source, horizonS));
          lines.push(line);
          if (!holds && !WALKS.includes(source) && source.isVariant !== true) isFailed = true;
          process.stderr.write(`${line.join(' | ')}\n`);
        }
      return {
        isFailed,
        about: [
          `Windows of ${TICKS} ticks whose outcomes do not overlap, in time order, with the memory of their series; levels ${DISTANCES.join(', ')} sigma(600) sqrt(H) above and below the last price.`,
          'ECE: with the series, of the version alone, of the reflected EWMA normal 2 (1 - Phi(distance)), and of that with the same correction by outcomes. Skill: Brier, with its 95 % interval over days.',
          `reach: fraction of the 50, 80 and 90 % ranges that held. first: ECE of the three chances of levels ${PAIR[0]} sigma above and ${PAIR[1]} below.`,
        ],
        tables: [
          {
            title: 'Touches',
            head: ['series', 'windows', 'reached', 'chance', 'ECE', 'alone', 'EWMA', 'EWMA corrected', 'skill over EWMA', 'over EWMA corrected', 'reach held, %', 'first: ECE'], // prettier-ignore
            lines,
          },
        ],
      };
    } finally {
      await open.close();
    }
  },
};
