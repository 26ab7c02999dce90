import * as path from 'node:path';
import { parseArgs } from 'node:util';
import { readSettings } from '../../src/core/config/settings.ts';
import { BPS_PER_UNIT, US_PER_SECOND } from '../../src/core/units.ts';
import { openForecaster } from '../../src/service/app/openForecaster.ts';
import { labelOrigin } from '../../src/engine/features/labelOrigin.ts';
import { sessionGapS } from '../../src/engine/features/sessionGap.ts';
import { readTickFile } from '../../src/ticks/import/streamTickFile.ts';
import { replayOrigins } from '../../src/engine/forecast/replayTicks.ts';
import { packRows, type ScoredRow, writeScoredRows } from './ScoredRows.ts';

const USAGE = `Usage: node --import tsx bench/memory/months.ts MONTHS.bin MONTHS-FIXED.bin FILE...
       node --import tsx bench/memory/months.ts --curve CURVE.bin FILE...
Log-odds of the default version for windows of 500 ticks of files NAME-YYYY-MM.csv.gz at 60 s, 5 min and 30 min, one in four minutes or one a
horizon: at the default threshold, and at its median over all files of a NAME; with --curve at the thresholds of bench/memory/leftOut.ts.`;
const HORIZONS_S = [60, 300, 1800];
const TICKS = 500;
const LEAST_EVERY_S = 240;
/** ln(theta / theta*) of the draws of test rows. */
const CURVE = [0, -1.05, -0.5, 0.5, 1.05, 1.7];

type Asked = { readonly file: string; readonly of: number; readonly horizonS: number; readonly thetaBps?: number };

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({ options: { curve: { type: 'boolean' } }, allowPositionals: true });
  const isCurve = values.curve === true;
  const [defaultFile, fixedFile] = positionals;
  const files = positionals.slice(isCurve ? 1 : 2);
  if (defaultFile === undefined || fixedFile === undefined || files.length === 0) {
    process.stderr.write(`${USAGE}\n`);
    return 1;
  }
  const nameOf = (file: string): string => path.basename(file).replace(/-\d{4}-\d\d\..*$/, '');
  const names = [...new Set(files.map(nameOf))];
  const series = names.map((name) => ({ name, files: files.filter((file) => nameOf(file) === name).sort(), group: name }));
  const open = await openForecaster(readSettings({ RUNTIME_BACKEND: 'wasm' }), { batches: [1] });
  const score = async ({ file, of, horizonS, thetaBps }: Asked): Promise<ScoredRow[]> => {
    const { series: ticks } = await readTickFile(file);
    const rows: ScoredRow[] = [];
    const everyUs = Math.max(horizonS + 1, LEAST_EVERY_S) * US_PER_SECOND;
    for (const origin of replayOrigins(ticks, { ticks: TICKS, horizonUs: horizonS * US_PER_SECOND, everyUs })) {
      const window = {
        timesUs: ticks.timesUs.subarray(origin + 1 - TICKS, origin + 1),
        prices: ticks.prices.subarray(origin + 1 - TICKS, origin + 1),
      };
      const originUs = ticks.timesUs[origin]!;
      let defaultBps = NaN;
      for (const [draw, logRatio] of (isCurve ? CURVE : [0]).entries()) {
        const minMoveBps = draw === 0 ? thetaBps : defaultBps * Math.exp(logRatio);
        const { detail } = await open.forecaster.forecast(
          { series: window, futureUs: originUs + horizonS * US_PER_SECOND },
          { detail: true, counterfactual: false, ...(minMoveBps === undefined ? {} : { minMoveBps }) },
        );
        if (detail === null || detail.logit === null || detail.opportunity.min_move_bps === null) break;
        const label = labelOrigin(ticks, origin, horizonS, sessionGapS((detail.input.median_gap_ms ?? 0) / 1000));
        if (label.status === 'dropped') break;
        if (draw === 0) defaultBps = detail.opportunity.min_move_bps;
        const p = detail.opportunity.probability!;
        rows.push({
          ...{ of, originUs, horizonS, draw, theta: detail.opportunity.min_move_bps / BPS_PER_UNIT, move: label.move },
          sigma: detail.input.volatility_bps_per_sqrt_s! / BPS_PER_UNIT,
          ewma: detail.logit.baseline,
          base: Math.log(p / (1 - p)),
        });
      }
    }
    return rows;
  };
  const [byDefault, fixed]: [ScoredRow[], ScoredRow[]] = [[], []];
  try {
    for (const [of, { files: ofSeries }] of series.entries())
      for (const horizonS of HORIZONS_S) {
        const found: ScoredRow[] = [];
        for (const file of ofSeries) for (const row of await score({ file, of, horizonS })) found.push(row);
        for (const row of found) byDefault.push(row);
        if (isCurve) continue;
        const thetas = found.map(({ theta }) => theta).sort((a, b) => a - b);
        const thetaBps = Number((thetas[thetas.length >> 1]! * BPS_PER_UNIT).toPrecision(6));
        for (const file of ofSeries) fixed.push(...(await score({ file, of, horizonS, thetaBps })));
        process.stderr.write(`${series[of]!.name} ${horizonS} s: ${found.length} windows, median threshold ${thetaBps} bps\n`);
      }
  } finally {
    await open.close();
  }
  writeScoredRows(defaultFile, packRows(series, byDefault));
  if (!isCurve) writeScoredRows(fixedFile, packRows(series, fixed));
  return 0;
}

process.exitCode = await main();
