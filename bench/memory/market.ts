import { parseArgs } from 'node:util';
import { seededRandom } from '../../src/core/Random.ts';
import { readSettings } from '../../src/core/config/settings.ts';
import { BPS_PER_UNIT, US_PER_SECOND } from '../../src/core/units.ts';
import { labelOrigin } from '../../src/engine/features/labelOrigin.ts';
import { sessionGapS } from '../../src/engine/features/sessionGap.ts';
import type { Forecaster } from '../../src/engine/forecast/Forecaster.ts';
import { originOf } from '../../src/engine/forecast/memoryAt.ts';
import { replayOrigins } from '../../src/engine/forecast/replayTicks.ts';
import { SeriesMemory } from '../../src/engine/memory/SeriesMemory.ts';
import { openLocalForecaster } from '../../src/service/app/openLocalForecaster.ts';
import { SeriesCloses } from '../../src/ticks/SeriesCloses.ts';
import { readTickFile } from '../../src/ticks/import/streamTickFile.ts';
import { comparePaired } from '../../training/metrics/comparePaired.ts';

const USAGE = `Usage: MODELS_DIR=FOLDER node --import tsx bench/memory/market.ts --version ID --train N FILE...
Compares the base with the memory of its series with the version ID, which \`tickmark train --market\` made of the first N files, on the windows of
the other files. FILE: months of ticks of one market in time order. The version gets the closes of the day before each window.`;
const HORIZONS_S = [60, 300, 1800];
const TICKS = 500;
/** Windows at 60 s: one in four minutes. */
const LEAST_EVERY_S = 240;
const DAY_US = 86_400 * US_PER_SECOND;

type Row = { readonly day: number; readonly y: 0 | 1; readonly memory: number; readonly market: number; readonly ewma: number };
type Found = { readonly atDefault: Row[]; readonly fixed: Row[]; readonly differing: number; readonly mismatched: number };

async function rowsOf(
  forecaster: Forecaster,
  files: readonly string[],
  { version, train, horizonS }: { version: string; train: number; horizonS: number },
): Promise<Found> {
  const memory = new SeriesMemory();
  const closes = new SeriesCloses();
  const [atDefault, fixed, thetas]: [Row[], Row[], number[]] = [[], [], []];
  let [differing, mismatched, median] = [0, 0, NaN];
  const horizonUs = horizonS * US_PER_SECOND;
  const everyUs = Math.max(horizonS + 1, LEAST_EVERY_S) * US_PER_SECOND;
  for (const [month, file] of files.entries()) {
    const { series } = await readTickFile(file);
    if (month === train) median = thetas.toSorted((a, b) => a - b)[thetas.length >> 1]!;
    let known = 0;
    for (const origin of replayOrigins(series, { ticks: TICKS, horizonUs, everyUs })) {
      memory.add(series, known, origin + 1);
      for (let at = known; at <= origin; at++) closes.push(series.timesUs[at]!, series.prices[at]!);
      known = origin + 1;
      const from = known - TICKS;
      const window = { timesUs: series.timesUs.subarray(from, known), prices: series.prices.subarray(from, known) };
      const originUs = series.timesUs[origin]!;
      const request = { series: window, futureUs: originUs + horizonUs };
      const { originMs, horizonMs } = originOf(request);
      const view = { detail: true, counterfactual: false, memory: memory.view(horizonMs) } as const;
      const { detail, remembered } = await forecaster.forecast(request, view);
      if (remembered !== undefined && memory.lastMs === originMs) memory.forecast({ horizonMs, ...remembered });
      const bps = detail!.opportunity.min_move_bps;
      if (detail!.logit === null || bps === null) continue;
      if (month < train) {
        thetas.push(bps);
        continue;
      }
      const label = labelOrigin(series, origin, horizonS, sessionGapS((detail!.input.median_gap_ms ?? 0) / 1000));
      if (label.status === 'dropped') continue;
      const before = closes.before(series.timesUs[from]!);
      const ofMarket = { ...request, ...(before === undefined ? {} : { closes: before }) };
      const base = {
        ours: detail!,
        theirs: (await forecaster.forecast(ofMarket, { detail: true, counterfactual: false, modelId: version })).detail!,
      };
      const own = {
        ours: (await forecaster.forecast(request, { ...view, minMoveBps: median })).detail!,
        theirs: (await forecaster.forecast(ofMarket, { detail: true, counterfactual: false, modelId: version, minMoveBps: median }))
          .detail!,
      };
      for (const [rows, { ours, theirs }] of [
        [atDefault, base],
        [fixed, own],
      ] as const) {
        const [memory_, market] = [ours.opportunity.probability, theirs.opportunity.probability];
        if (memory_ === null || market === null || ours.logit === null) {
          mismatched++;
          continue;
        }
        if (ours.opportunity.min_move_bps !== theirs.opportunity.min_move_bps) differing++;
        rows.push({
          day: Math.floor(originUs / DAY_US),
          y: Math.abs(label.move) * BPS_PER_UNIT > ours.opportunity.min_move_bps! ? 1 : 0,
          ...{ memory: memory_, market, ewma: 1 / (1 + Math.exp(-ours.logit.baseline)) },
        });
      }
    }
    memory.add(series, known);
    for (let at = known; at < series.prices.length; at++) closes.push(series.timesUs[at]!, series.prices[at]!);
  }
  return { atDefault, fixed, differing, mismatched };
}

function compare(rows: readonly Row[], ours: keyof Row, theirs: keyof Row): string {
  const { intervals } = comparePaired(
    {
      p: Float64Array.from(rows, (row) => row[ours]),
      pBase: Float64Array.from(rows, (row) => row[theirs]),
      y: Uint8Array.from(rows, ({ y }) => y),
      cluster: Int32Array.from(rows, ({ day }) => day),
      cell: new Int32Array(rows.length),
    },
    { random: seededRandom(1), draws: 200 },
  );
  const text = ({ estimate, lower90OneSided }: (typeof intervals)['brierSkill']): string =>
    `${estimate.toFixed(4)} (≥ ${lower90OneSided.toFixed(4)})`;
  return `AUC ${text(intervals.aucDifference)}, skill ${text(intervals.brierSkill)}`;
}

async function main(): Promise<number> {
  const { values, positionals: files } = parseArgs({
    options: { version: { type: 'string' }, train: { type: 'string' } },
    allowPositionals: true,
  });
  const train = Number(values.train);
  if (values.version === undefined || !(train >= 1) || files.length <= train) {
    process.stderr.write(`${USAGE}\n`);
    return 1;
  }
  const settings = readSettings({
    RUNTIME_BACKEND: 'wasm',
    ...(process.env['MODELS_DIR'] ? { MODELS_DIR: process.env['MODELS_DIR'] } : {}),
  });
  const open = await openLocalForecaster(settings);
  try {
    for (const horizonS of HORIZONS_S) {
      const { atDefault, fixed, differing, mismatched } = await rowsOf(open.forecaster, files, {
        version: values.version,
        train,
        horizonS,
      });
      for (const [name, rows] of [
        ['default', atDefault],
        ['fixed', fixed],
      ] as const) {
        const share = rows.filter(({ y }) => y === 1).length / rows.length;
        process.stdout.write(
          `${horizonS} s, ${name} threshold: ${rows.length} windows, ${(share * 100).toFixed(1)} % moved, ${differing} differ, ${mismatched} null\n`,
        );
        process.stdout.write(`  memory against market: ${compare(rows, 'memory', 'market')}\n`);
        process.stdout.write(`  memory against EWMA:   ${compare(rows, 'memory', 'ewma')}\n`);
        process.stdout.write(`  market against EWMA:   ${compare(rows, 'market', 'ewma')}\n`);
      }
    }
  } finally {
    await open.close();
  }
  return 0;
}

process.exitCode = await main();
