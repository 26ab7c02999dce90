import { existsSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { sessionGapS } from '../src/engine/features/sessionGap.ts';
import { FeatureBuilder } from '../src/engine/features/FeatureBuilder.ts';
import { planTestRows } from '../training/data/planRows.ts';
import { horizonMsOf, walkPlan } from '../training/data/RowPlan.ts';
import { openTickSources } from '../training/data/TickSource.ts';
import { labelOrigin } from '../src/engine/features/labelOrigin.ts';
import { auc } from '../training/metrics/auc.ts';
import type { Bench, BenchReport } from './Bench.ts';

/** Folders of tick files, separated by the path delimiter: two next to the checkout, or TICKS. */
const FOLDERS = (
  process.env['TICKS'] ?? ['data', 'wider'].map((name) => path.resolve(import.meta.dirname, '../../shared', name)).join(path.delimiter)
).split(path.delimiter);
const HORIZONS_S = [10, 60, 300, 1800] as const;
const SCOPE = { heads: [0, 1, 2, 3], rangeS: [10, 1800], testedS: HORIZONS_S } as const;
const MOST_WINDOWS = 90;
const DROPPED = [1, 2, 5] as const;
/** Fraction of windows above the cut by which a changed answer is counted: about the fraction that is marked. */
const COVERAGE = 0.08;
const MOST_HORIZON_TO_WINDOW = 20;
/** A cell (series and horizon) counts from this many windows. */
const CELL_WINDOWS = 40;

/** ln theta* and the input of the volatility baseline, ln(sigma sqrt(H) / theta*). */
type Threshold = { readonly logTheta: number; readonly volatility: number };
type Measured = {
  readonly series: number;
  readonly own: Threshold;
  readonly shorter: readonly (Threshold | undefined)[];
  readonly isOpportunity: boolean;
};

function quantileOf(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] as number;
}

function columnsOf(windows: readonly Measured[]): string[] {
  const cut = quantileOf(
    windows.map(({ own }) => own.volatility),
    1 - COVERAGE,
  );
  const ofDropped = DROPPED.map((_, at) => {
    const pairs = windows.flatMap(({ own, shorter }) => {
      const other = shorter[at];
      return other === undefined ? [] : [{ own, other }];
    });
    const changes = pairs.map(({ own, other }) => Math.abs(other.logTheta - own.logTheta));
    const changed = pairs.filter(({ own, other }) => own.volatility >= cut !== other.volatility >= cut).length;
    return {
      p95: quantileOf(changes, 0.95).toFixed(3),
      changed: ((100 * changed) / pairs.length).toFixed(2),
      largest: Math.max(...changes),
    };
  });
  const cells = [...new Set(windows.map(({ series }) => series))].map((series) => windows.filter((window) => window.series === series));
  const rates = cells
    .filter(({ length }) => length >= CELL_WINDOWS)
    .map((cell) => cell.filter((window) => window.isOpportunity).length / cell.length);
  const labels = Uint8Array.from(windows, (window) => (window.isOpportunity ? 1 : 0));
  return [
    String(windows.length),
    ofDropped.map(({ p95 }) => p95).join(', '),
    `${Math.exp(Math.max(...ofDropped.map(({ largest }) => largest))).toFixed(1)}×`,
    ofDropped.map(({ changed }) => changed).join(', '),
    (labels.reduce((sum, label) => sum + label, 0) / labels.length).toFixed(3),
    `${rates.filter((rate) => rate >= 0.12 && rate <= 0.28).length} of ${rates.length}`,
    auc(
      Float64Array.from(windows, ({ own }) => own.volatility),
      labels,
    ).toFixed(3),
  ];
}

export const bench: Bench = {
  name: 'defaultThreshold',
  about:
    'How much the default threshold changes when 1, 2 or 5 ticks at the far end of a window are dropped, and how often a move exceeds it.',
  async run(): Promise<BenchReport> {
    const files = FOLDERS.filter(existsSync).flatMap((folder) => readdirSync(folder).map((file) => path.join(folder, file)));
    const ticks = files.filter((file) => file.endsWith('.csv.gz'));
    if (ticks.length === 0) throw new Error(`There are no ticks in ${FOLDERS.join(' and ')}. Set TICKS to a folder of tick files.`);
    const cacheDir = path.join(tmpdir(), 'tickmark-bench-thresholds');
    const { sources } = await openTickSources(ticks, { groups: {}, reading: {}, cacheDir, lookAheadS: 1802, onRead: () => {} });
    const plan = planTestRows(sources, { scope: SCOPE, seed: 5, maxCount: MOST_WINDOWS });
    const builder = new FeatureBuilder();
    const byHorizon = new Map<number, Measured[]>(HORIZONS_S.map((horizonS) => [horizonS * 1000, []]));
    for (const { block, series } of walkPlan(sources, plan)) {
      for (const [window, origin] of block.origin.entries()) {
        const horizonMs = horizonMsOf(block, window);
        const from = block.from[window] as number;
        const futureUs = (series.timesUs[origin] as number) + horizonMs * 1000;
        const threshold = (dropped: number): Threshold | undefined => {
          const measures = builder.read(series, from + dropped, origin + 1, futureUs);
          if (typeof measures === 'string') return undefined;
          return { logTheta: Math.log(measures.thetaDefault), volatility: Math.log(measures.sigmaHorizon / measures.thetaDefault) };
        };
        const measures = builder.read(series, from, origin + 1, futureUs);
        if (typeof measures === 'string' || measures.horizonS / measures.windowS > MOST_HORIZON_TO_WINDOW) continue;
        const label = labelOrigin(series, origin, measures.horizonS, sessionGapS(measures.medianGapS));
        if (label.status === 'dropped') continue;
        const isOpportunity = Math.abs(label.move) > measures.thetaDefault;
        const own = threshold(0) as Threshold;
        byHorizon.get(horizonMs)?.push({ series: block.source, own, shorter: DROPPED.map(threshold), isOpportunity });
      }
    }
    const dropped = DROPPED.join(', ');
    return {
      about: [
        `${sources.length} series, windows of 200 to 3000 ticks. An answer counts as changed where the volatility baseline crosses the cut with ${100 * COVERAGE} % of windows above it.`,
      ],
      tables: [
        {
          title: 'Change of the default threshold',
          head: [
            'horizon (s)',
            'windows',
            `change of ln theta*, 95th percentile, ${dropped} dropped`,
            'largest',
            `answers changed (%), ${dropped} dropped`,
            'base rate',
            'cells with .12 to .28',
            'AUC of the volatility baseline',
          ],
          lines: [...byHorizon].map(([ms, windows]) => [String(ms / 1000), ...columnsOf(windows)]),
        },
      ],
    };
  },
};
