import { readdirSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import { FeatureBuilder } from '../../src/engine/features/FeatureBuilder.ts';
import type { TickSeries } from '../../src/ticks/TickSeries.ts';
import { readTickFile } from '../../src/ticks/import/streamTickFile.ts';
import { hasRealTicks, REAL_TICKS_DIR, REAL_TICKS_SKIPPED } from '../support/realTicks.ts';
import { walkTicks } from '../support/walkTicks.ts';

const WINDOW_TICKS = 500;
const DROPPED = [1, 2, 5] as const;
/** Largest |change of ln theta*| for 95 % of windows. */
const LARGEST_CHANGE = 0.05;

/** The large files take seconds to read. */
const LARGE = /xauusd-oanda|eurusd/;

/** |change of ln theta*| where the window loses its first `dropped` ticks; undefined for a window without features. */
function changeOf(builder: FeatureBuilder, series: TickSeries, to: number, horizonS: number, dropped: number): number | undefined {
  const futureUs = (series.timesUs[to - 1] as number) + horizonS * 1e6;
  const whole = builder.read(series, to - WINDOW_TICKS, to, futureUs);
  const shorter = builder.read(series, to - WINDOW_TICKS + dropped, to, futureUs);
  if (typeof whole === 'string' || typeof shorter === 'string') return undefined;
  return Math.abs(Math.log(shorter.thetaDefault / whole.thetaDefault));
}

function percentile95(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(0.95 * values.length)] as number;
}

describe('the default threshold', () => {
  it('hardly changes when ticks at the far end of a window are dropped, on fine and coarse price grids', () => {
    const builder = new FeatureBuilder();
    for (const maxSteps of [1, 30]) {
      for (const dropped of DROPPED) {
        const changes = Array.from({ length: 200 }, (_, seed) => {
          const series = walkTicks({ seed, count: WINDOW_TICKS, maxSteps });
          return changeOf(builder, series, WINDOW_TICKS, [10, 60, 300][seed % 3] as number, dropped);
        }).filter((change) => change !== undefined);
        expect(changes).to.have.length(200);
        expect(percentile95(changes), `${dropped} ticks, steps up to ${maxSteps}`).to.be.below(LARGEST_CHANGE);
      }
    }
  });

  it('hardly changes when the first timestamp moves by 20 ms', () => {
    const builder = new FeatureBuilder();
    for (let seed = 0; seed < 100; seed++) {
      const series = walkTicks({ seed, count: WINDOW_TICKS });
      const timesUs = series.timesUs.slice();
      timesUs[0] = (timesUs[0] as number) - 20_000;
      const thetas = [series, { ...series, timesUs }].map((ticks) => {
        const measures = builder.read(ticks, 0, WINDOW_TICKS, (ticks.timesUs[WINDOW_TICKS - 1] as number) + 60e6);
        if (typeof measures === 'string') throw new Error(measures);
        return measures.thetaDefault;
      });
      expect(Math.abs(Math.log((thetas[1] as number) / (thetas[0] as number))), `seed ${seed}`).to.be.below(0.005);
    }
  });

  it('hardly changes when ticks at the far end of real windows are dropped', async function () {
    if (!hasRealTicks) {
      process.stdout.write(`skipped: ${REAL_TICKS_SKIPPED}\n`);
      this.skip();
    }
    const builder = new FeatureBuilder();
    const changes = new Map<number, number[]>(DROPPED.map((dropped) => [dropped, []]));
    for (const file of readdirSync(REAL_TICKS_DIR).filter((name) => name.endsWith('.csv.gz') && !LARGE.test(name))) {
      const { series, rows } = await readTickFile(path.join(REAL_TICKS_DIR, file));
      for (let k = 0; k < 120; k++) {
        const to = WINDOW_TICKS + Math.floor(((rows - WINDOW_TICKS) * k) / 120);
        for (const dropped of DROPPED) {
          const change = changeOf(builder, series, to, [10, 60, 300][k % 3] as number, dropped);
          if (change !== undefined) changes.get(dropped)?.push(change);
        }
      }
    }
    for (const [dropped, values] of changes) {
      expect(values.length).to.be.above(500);
      expect(percentile95(values), `${dropped} ticks of ${values.length} windows`).to.be.below(LARGEST_CHANGE);
    }
  });
});
