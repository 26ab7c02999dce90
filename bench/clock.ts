import { existsSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { seededRandom } from '../src/core/Random.ts';
import { US_PER_MINUTE, US_PER_SECOND } from '../src/core/units.ts';
import { minuteMoves, type MinuteMoves } from '../src/engine/features/learnProfile.ts';
import type { MarketProfile } from '../src/engine/features/MarketClock.ts';
import { buildRows } from '../training/data/buildRows.ts';
import { coarserBars } from '../training/data/BarCloses.ts';
import { packBlock, type PlanBlock, planOf } from '../training/data/RowPlan.ts';
import type { RowSet } from '../training/data/RowSet.ts';
import { openTickSources, type TickSource } from '../training/data/TickSource.ts';
import { instrumentClusters } from '../training/evaluation/Scores.ts';
import { testOrigins } from '../training/labels/selectOrigins.ts';
import { type ClockRows, historyOf, learnMarket, readClock, readOwnClock, withRecent } from '../training/market/clockRows.ts';
import { fitAged, fitMarket, fitRecent, marketLogits, selectExamples } from '../training/market/fitMarket.ts';
import { marketAge } from '../training/market/marketAge.ts';
import { marketDaylight } from '../training/market/marketDaylight.ts';
import { joinExamples, type MarketExamples } from '../training/market/marketExamples.ts';
import { preparedAuc } from '../training/metrics/auc.ts';
import { clusterBootstrapAll } from '../src/engine/scoring/clusterBootstrap.ts';
import { fitLogistic, logisticLogits, sigmoid } from '../training/metrics/logistic.ts';
import { allRows } from '../training/splits/planFolds.ts';
import type { Bench, BenchReport } from './Bench.ts';

const DAY_US = 86_400 * US_PER_SECOND;
const WEEK_US = 7 * DAY_US;
const TRAIN_WEEKS = 8;
const STEP_WEEKS = 4;
const CELLS = [500, 3000].flatMap((ticks) => [300, 1800].map((horizonS) => ({ ticks, horizonS })));
type Cell = (typeof CELLS)[number];
/** Months after training, as printed: the first two together, then each on its own. */
const AGES = ['1 and 2', '1', '2', '3', '4', '5', '6'] as const;
const WAYS = ['served', 'with closes', 'without age', 'rotated by 7 h', 'fitted on the first two months'] as const;
const ROTATED_MINUTES = 420;

type Tally = { readonly p: Record<string, number[]>; readonly ewma: number[]; readonly label: number[]; readonly row: number[] };

/** One row for each window of `ticks` ticks; no two labels overlap. */
async function rowsOf(sources: readonly TickSource[], { ticks, horizonS }: Cell): Promise<RowSet> {
  const blocks = sources.flatMap((source, at) => {
    const found: PlanBlock[] = [];
    for (const { series } of source.segments()) {
      const origins = testOrigins(series, horizonS, { minTicks: ticks });
      const windows = [...origins].map((origin) => ({ from: origin + 1 - ticks, origin, horizonS, logThetaRatios: [] }));
      found.push(packBlock({ source: at, segment: found.length, barS: 0 }, windows));
    }
    return found;
  });
  return (await buildRows(sources, planOf(blocks, 1), 1)).rows;
}

/** Examples at theta*, or at a fixed threshold; the base is the EWMA input. */
function examplesOf(rows: RowSet, index: Int32Array, { clock, usualMove, recentMove }: ClockRows, fixed: number | null): MarketExamples {
  const at = Int32Array.from(index.keys()).filter((i) => Number.isFinite(clock[i]));
  const thetas = Float64Array.from(at, (i) => fixed ?? (rows.thetaDefault[index[i]!] as number));
  return {
    count: at.length,
    at,
    week: at.map((i) => Math.floor(rows.originUs[index[i]!]! / WEEK_US)),
    base: Float64Array.from(at, (i, k) => rows.baseline[index[i]!]! + Math.log(rows.thetaDefault[index[i]!]! / thetas[k]!)),
    clock: Float64Array.from(at, (i) => clock[i]!),
    level: Float64Array.from(at, (i, k) => usualMove[i]! - Math.log(thetas[k]!)),
    recent: Float64Array.from(at, (i, k) => recentMove[i]! - Math.log(thetas[k]!)),
    label: Uint8Array.from(at, (i, k) => (Math.abs(rows.move[index[i]!]!) > thetas[k]! ? 1 : 0)),
  };
}

const rotated = (profile: MarketProfile): MarketProfile => ({
  ...profile,
  shape: profile.shape.map((_, minute) => profile.shape.at(minute - ROTATED_MINUTES)!),
});

/** Tests one fit on everything after its training weeks. */
function testFold(rows: RowSet, moves: MinuteMoves, [fromUs, toUs]: readonly [number, number], tallies: Map<string, Tally>): void {
  const isIn = (us: number): boolean => us >= fromUs && us < toUs;
  const used = moves.minute.map((minute) => (isIn(minute * US_PER_MINUTE) ? 1 : 0));
  const own: MinuteMoves = { minute: moves.minute.filter((_, i) => used[i] === 1), size: moves.size.filter((_, i) => used[i] === 1) };
  const { rule, byClose } = marketDaylight(own);
  const history = historyOf(own, rule);
  const profile = learnMarket(history);
  if (profile === null) return;
  const ends = (row: number): number => rows.originUs[row]! + rows.horizonS[row]! * US_PER_SECOND;
  const train = allRows(rows).filter((row) => isIn(rows.originUs[row]!) && isIn(ends(row)));
  const test = allRows(rows).filter((row) => rows.originUs[row]! >= toUs);
  const usual = train.length === 0 ? null : Float64Array.from(train, (row) => rows.thetaDefault[row]!).sort()[train.length >> 1]!;
  const ownClock = readOwnClock(rows, train, history);
  const fits = joinExamples([examplesOf(rows, train, ownClock, null), examplesOf(rows, train, ownClock, usual)]);
  const fresh = fitMarket(fits);
  const aged = fitAged(fits);
  const ownRecent = withRecent(ownClock);
  const remembered = fitRecent(joinExamples([examplesOf(rows, train, ownRecent, null), examplesOf(rows, train, ownRecent, usual)]));
  const turned = readOwnClock(rows, train, {
    ...history,
    days: history.days.map((day) => ({ ...day, minute: day.minute.map((m) => (m + ROTATED_MINUTES) % 1440) })),
  });
  const rotatedFit = fitAged(joinExamples([examplesOf(rows, train, turned, null), examplesOf(rows, train, turned, usual)]));
  const later = readClock(rows, test, profile, moves);
  const laterTurned = readClock(rows, test, rotated(profile), moves);
  const age = marketAge(toUs, byClose ? 'none' : rule);
  for (const [name, theta] of [
    ['theta*', null],
    ['fixed theta', usual],
  ] as const) {
    const zeros = new Float64Array(train.length);
    const trained = examplesOf(rows, train, { clock: zeros, usualMove: zeros, recentMove: zeros }, theta);
    const tested = examplesOf(rows, test, later, theta);
    const ewma = logisticLogits(fitLogistic(trained.base, trained.count, 1, trained.label), tested.base, tested.count);
    const [freshLogits, agedLogits] = [marketLogits(tested, fresh), marketLogits(tested, aged)];
    // More than any weights that know only the past can reach in these two months.
    const firstTwo = selectExamples(tested, (i) => rows.originUs[test[tested.at[i]!]!]! < toUs + 2 * STEP_WEEKS * WEEK_US);
    const bestLogits = marketLogits(tested, fitMarket(firstTwo));
    const rotatedLogits = marketLogits(examplesOf(rows, test, laterTurned, theta), rotatedFit);
    const shares = Float64Array.from(test, (row) =>
      Math.min(1, Math.max(0, (age.levelEndsUs - rows.originUs[row]!) / (age.levelEndsUs - age.levelFallsFromUs))),
    );
    // As in service, an old level gives way to the recent one.
    const level = tested.level.map((of, i) => shares[i]! * of + (1 - shares[i]!) * tested.recent[i]!);
    const recentLogits = marketLogits({ ...tested, level }, remembered);
    tested.label.forEach((label, i) => {
      const us = rows.originUs[test[i]!]!;
      const share = shares[i]!;
      const closesShare = Math.min(1, Math.max(0, 1 - (us - age.levelEndsUs) / (2 * (age.levelEndsUs - age.levelFallsFromUs))));
      const served = us >= age.clockEndsUs ? ewma[i]! : share * freshLogits[i]! + (1 - share) * agedLogits[i]!;
      const logits: Record<(typeof WAYS)[number], number> = {
        served,
        'with closes':
          us >= age.clockEndsUs || Number.isNaN(recentLogits[i]!) ? served : closesShare * recentLogits[i]! + (1 - closesShare) * served,
        'without age': freshLogits[i]!,
        'rotated by 7 h': rotatedLogits[i]!,
        'fitted on the first two months': bestLogits[i]!,
      };
      const month = Math.floor((us - toUs) / (4 * WEEK_US)) + 1;
      for (const key of [`${name}/${month}`, ...(month < 3 ? [`${name}/1 and 2`] : [])]) {
        const tally: Tally = tallies.get(key) ?? { p: {}, ewma: [], label: [], row: [] };
        tallies.set(key, tally);
        for (const way of WAYS) (tally.p[way] ??= []).push(sigmoid(logits[way]));
        tally.ewma.push(sigmoid(ewma[i]!));
        tally.label.push(label);
        tally.row.push(test[i]!);
      }
    });
  }
}

const meanOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
const signed = (value: number): string => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(3)}`;

/** Differences to the EWMA logistic, with one-sided lower 90 % bounds over days. */
function figures(rows: RowSet, { p, ewma, label, row }: Tally): string[] {
  const y = Uint8Array.from(label);
  const base = Float64Array.from(ewma);
  const aucBase = preparedAuc(base, y);
  const days = instrumentClusters(rows, row, DAY_US);
  const error = (q: Float64Array): Float64Array => q.map((value, i) => (value - y[i]!) ** 2);
  const sum = (values: Float64Array, weights: Float64Array): number => values.reduce((total, value, i) => total + value * weights[i]!, 0);
  return WAYS.flatMap((way) => {
    const q = Float64Array.from(p[way] ?? []);
    const auc = preparedAuc(q, y);
    const [own, other] = [error(q), error(base)];
    const { gain, skill } = clusterBootstrapAll(
      days,
      (weights) => ({ gain: auc(weights) - aucBase(weights), skill: 1 - sum(own, weights) / sum(other, weights) }),
      { random: seededRandom(1), draws: 200 },
    );
    return [gain, skill].map(({ estimate, lower90OneSided }) => `${signed(estimate)} (${signed(lower90OneSided)})`);
  });
}

export const bench: Bench = {
  name: 'clock',
  about:
    'Walk-forward of clock and level against the EWMA logistic: fitted on eight weeks, tested on the months after them. Needs MARKET_TICKS.',
  async run(only): Promise<BenchReport> {
    const folder = process.env['MARKET_TICKS'] ?? '';
    if (!existsSync(folder)) throw new Error('Set MARKET_TICKS to a folder of monthly tick files, named <market>-<year>-<month>.csv.gz.');
    const files = readdirSync(folder).filter((file) => file.endsWith('.csv.gz'));
    const marketOf = (file: string): string => file.replace(/-\d{4}-\d\d\.csv\.gz$/, '');
    const lines: string[][] = [];
    for (const market of [...new Set(files.map(marketOf))].filter((name) => only === undefined || name.includes(only))) {
      const own = files.filter((file) => marketOf(file) === market).sort();
      const { sources } = await openTickSources(
        own.map((file) => path.join(folder, file)),
        { groups: {}, cacheDir: path.join(tmpdir(), 'tickmark-bench-clock'), lookAheadS: 1802 },
      );
      const closes = sources.map(({ bars }) => coarserBars(bars, 60));
      const minute = closes.flatMap(({ index }) => [...index]);
      const moves = minuteMoves(
        minute,
        closes.flatMap(({ close }) => [...close]),
      );
      const firstUs = (minute[0] ?? 0) * US_PER_MINUTE;
      const weeks = ((minute.at(-1) ?? 0) * US_PER_MINUTE - firstUs) / WEEK_US;
      for (const cell of CELLS) {
        const rows = await rowsOf(sources, cell);
        const tallies = new Map<string, Tally>();
        for (let start = 0; start + TRAIN_WEEKS + STEP_WEEKS <= weeks; start += STEP_WEEKS)
          testFold(rows, moves, [firstUs + start * WEEK_US, firstUs + (start + TRAIN_WEEKS) * WEEK_US], tallies);
        for (const theta of ['theta*', 'fixed theta'])
          for (const month of AGES) {
            const tally = tallies.get(`${theta}/${month}`);
            if (tally === undefined || tally.label.length < 300) continue;
            lines.push([
              market,
              `${cell.ticks}`,
              `${cell.horizonS} s`,
              theta,
              month,
              `${tally.label.length}`,
              meanOf(tally.label).toFixed(3),
              ...figures(rows, tally),
            ]);
          }
      }
    }
    return {
      about: [
        'Gain in AUC and Brier skill over the EWMA logistic of the same weeks; in brackets the one-sided lower 90 % bound over days. Moved: fraction of the windows with a move above the threshold.',
      ],
      tables: [
        {
          title: 'Gain by months after training',
          head: [
            'market',
            'ticks',
            'horizon',
            'threshold',
            'month',
            'windows',
            'moved',
            ...WAYS.flatMap((way) => [`${way}: AUC`, 'skill']),
          ],
          lines,
        },
      ],
    };
  },
};
