import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { readSettings } from '../src/core/config/settings.ts';
import { packageRoot } from '../src/core/packageRoot.ts';
import { seededRandom } from '../src/core/Random.ts';
import { BPS_PER_UNIT, MS_PER_SECOND, US_PER_MS, US_PER_SECOND } from '../src/core/units.ts';
import { type ReplayedWindow, type ReplayOptions, replayTicks } from '../src/engine/forecast/replayTicks.ts';
import { SeriesBaselines } from '../src/engine/scoring/SeriesBaselines.ts';
import { openLocalForecaster } from '../src/service/app/openLocalForecaster.ts';
import type { TickSeries } from '../src/ticks/TickSeries.ts';
import { readSeries } from '../training/bars/barPlan.ts';
import { runPython } from '../training/baselines/pythonBaselines.ts';
import { pairedIntervals } from '../training/metrics/comparePaired.ts';
import type { Bench } from './Bench.ts';

const SCRIPT = path.join(packageRoot(), 'bench', 'peers', 'ownMarket.py');
const TICKS = 500;
const HORIZONS_S = [60, 300, 1800];
/** From one window to the next: at least this and the horizon. Outcomes of windows to learn from may overlap. */
const EVERY_S = 301;
/** The days before are only learned from. */
const TESTED_SHARE = 0.5;
const DAY_US = 86_400 * US_PER_SECOND;
/** Goals of this bench: ahead of HAR; of the trees of the own market, behind by this at most. */
const LEAST_SKILL = { har: 0, lightgbm: -0.003 } as const;

type Rival = keyof typeof LEAST_SKILL;
const RIVALS = Object.keys(LEAST_SKILL) as Rival[];
type Window = ReplayedWindow & { readonly probability: number; readonly ewma: number; readonly minMoveBps: number; readonly moveBps: number; readonly outcome: 0 | 1 }; // prettier-ignore
type Cell = { readonly name: string; readonly horizonS: number; readonly rows: readonly Window[]; readonly tested: readonly Window[] };
type Forecaster = Awaited<ReturnType<typeof openLocalForecaster>>['forecaster'];

/** Files by series: `silver-2017-01.csv.gz` and `silver-2017-02.csv.gz` are one. */
export function seriesOf(files: readonly string[]): Map<string, string[]> {
  const series = new Map<string, string[]>();
  for (const file of files.toSorted((a, b) => path.basename(a).localeCompare(path.basename(b)))) {
    const name = path.basename(file).replace(/(-\d{4}-\d\d)?\..*$/, '');
    series.set(name, [...(series.get(name) ?? []), file]);
  }
  return series;
}

async function windowsOf(
  forecaster: Forecaster,
  series: TickSeries,
  horizonS: number,
  everyS: number,
  asked: Pick<ReplayOptions, 'options' | 'memory'> = {},
): Promise<Window[]> {
  const windows: Window[] = [];
  const options = { ticks: TICKS, horizonUs: horizonS * US_PER_SECOND, everyUs: everyS * US_PER_SECOND, ...asked };
  const baselines = new SeriesBaselines();
  for await (const window of replayTicks(forecaster, series, options)) {
    const { timeUs, probability, baselineProbability, outcome } = window;
    if (probability === null || baselineProbability === null || typeof outcome !== 'number') continue;
    const [atMs, endMs] = [timeUs / US_PER_MS, timeUs / US_PER_MS + horizonS * MS_PER_SECOND];
    windows.push({ ...(window as Window), ewma: baselines.at(atMs, baselineProbability).baseline });
    baselines.settle({ atMs, endMs, version: baselineProbability }, outcome === 1);
  }
  return windows;
}

/** At the default thresholds, and at the median one of the days that are only learned from. */
async function cellsOf(forecaster: Forecaster, name: string, series: TickSeries, only: string): Promise<Cell[]> {
  const days = Float64Array.from(new Set(series.timesUs.map((us) => Math.floor(us / DAY_US))));
  const testedFromUs = days[Math.floor(days.length * TESTED_SHARE)] * DAY_US;
  const cells: Cell[] = [];
  for (const horizonS of HORIZONS_S) {
    if (!`${name} ${horizonS} s`.includes(only)) continue;
    const everyS = Math.max(horizonS + 1, EVERY_S);
    const served = await windowsOf(forecaster, series, horizonS, everyS);
    const rows = everyS > EVERY_S ? await windowsOf(forecaster, series, horizonS, EVERY_S, { memory: 'off' }) : served;
    const earlier = rows.filter(({ timeUs }) => timeUs < testedFromUs).map(({ minMoveBps }) => minMoveBps);
    const fixedBps = Number(Float64Array.from(earlier).sort()[earlier.length >> 1].toPrecision(3));
    const atFixed = await windowsOf(forecaster, series, horizonS, everyS, { options: { minMoveBps: fixedBps } });
    const tested = (windows: readonly Window[]): Window[] => windows.filter(({ timeUs }) => timeUs >= testedFromUs);
    cells.push({ name: `${name} ${horizonS} s`, horizonS, rows, tested: tested(served) });
    const refixed = rows.map((row) => ({ ...row, minMoveBps: fixedBps }));
    cells.push({ name: `${name} ${horizonS} s, ${fixedBps} bps`, horizonS, rows: refixed, tested: tested(atFixed) });
    process.stderr.write(`${name} ${horizonS} s: ${rows.length} windows, ${tested(served).length} of them tested\n`);
  }
  return cells;
}

type Answers = Readonly<Record<Rival, readonly number[]>>;

function rivalsOf(series: TickSeries, cells: readonly Cell[], note: (text: string) => void): Answers[] | undefined {
  const folder = mkdtempSync(path.join(tmpdir(), 'tickmark-own-market-'));
  const write = (name: string, values: Float64Array): string => {
    const file = path.join(folder, name);
    writeFileSync(file, new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
    return file;
  };
  const line = ({ timeUs, minMoveBps, moveBps }: Window) => [timeUs / US_PER_SECOND, minMoveBps / BPS_PER_UNIT, moveBps / BPS_PER_UNIT];
  try {
    const job = {
      times: write(
        'times.f64',
        series.timesUs.map((us) => us / US_PER_SECOND),
      ),
      prices: write('prices.f64', series.prices),
      cells: cells.map(({ horizonS, rows, tested }) => ({ horizonS, rows: rows.map(line), tested: tested.map(line) })),
    };
    return runPython<Answers[]>(process.env['PYTHON'] ?? 'python3', SCRIPT, job, note);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

type Line = { readonly cells: string[]; readonly skill: Readonly<Partial<Record<Rival, number>>> };

function lineOf({ name, tested }: Cell, answers: Answers | undefined): Line {
  const y = Uint8Array.from(tested, ({ outcome }) => outcome);
  const cluster = Int32Array.from(tested, ({ timeUs }) => Math.floor(timeUs / DAY_US));
  const p = Float64Array.from(tested, ({ probability }) => probability);
  const against = (pBase: ArrayLike<number>) =>
    pairedIntervals({ p, pBase: Float64Array.from(pBase), y, cluster, cell: new Int32Array(y.length) }, { random: seededRandom(1) });
  const text = ({ estimate, lower95, upper95 }: { estimate: number; lower95: number; upper95: number }): string =>
    `${estimate.toFixed(4)} (${lower95.toFixed(4)} to ${upper95.toFixed(4)})`;
  const ofEwma = against(tested.map(({ ewma }) => ewma));
  const found = answers === undefined ? [] : RIVALS.map((rival) => against(answers[rival]));
  const aucs = [ofEwma, ...found].map(({ intervals }) => intervals.aucBase.estimate.toFixed(3));
  return {
    cells: [
      ...[name, String(y.length), String(ofEwma.clusters), ofEwma.baseRate.toFixed(3)],
      [ofEwma.intervals.aucModel.estimate.toFixed(3), ...aucs].join(', '),
      ...[ofEwma, ...found].map(({ intervals }) => text(intervals.brierSkill)),
    ],
    skill: Object.fromEntries(found.map(({ intervals }, at) => [RIVALS[at], intervals.brierSkill.estimate])),
  };
}

export const bench: Bench = {
  name: 'ownMarket',
  about: 'The shipped version with memory against boosted trees and a HAR that learn from the earlier days of the same market.',
  takesFiles: true,
  async run(only = '', { files = [] } = {}) {
    if (files.length === 0) throw new Error('Name the files of one market or more: npm run bench -- ownMarket MARKET-YYYY-MM.csv.gz ...');
    const open = await openLocalForecaster(readSettings());
    const lines: Line[] = [];
    const notes = new Set<string>();
    try {
      for (const [name, own] of seriesOf(files)) {
        const series = await readSeries(own);
        const cells = await cellsOf(open.forecaster, name, series, only);
        const answers = cells.length === 0 ? undefined : rivalsOf(series, cells, (note) => notes.add(note));
        lines.push(...cells.map((cell, at) => lineOf(cell, answers?.[at])));
      }
    } finally {
      await open.close();
    }
    const tested = RIVALS.map((rival) => lines.map(({ skill }) => skill[rival]).filter((skill) => skill !== undefined));
    const goals = RIVALS.map((rival, at) => {
      const met = tested[at].filter((skill) => skill >= LEAST_SKILL[rival]).length;
      const ahead = tested[at].filter((skill) => skill > 0).length;
      return `${rival}: ahead in ${ahead} of ${tested[at].length} cells, skill at least ${LEAST_SKILL[rival]} in ${met}.`;
    });
    const known = tested[0].length > 0;
    return {
      about: [...notes, ...(known ? goals : [])],
      tables: [
        {
          title: 'Brier skill of the shipped version with the memory of its series',
          head: [
            ...['market, horizon, threshold', 'windows', 'days', 'base rate', `AUC: tickmark, EWMA${known ? ', HAR, LightGBM' : ''}`],
            ...['over EWMA (95 % by day)', ...(known ? ['over HAR', 'over LightGBM'] : [])],
          ],
          lines: lines.map(({ cells }) => cells),
        },
      ],
    };
  },
};
