import { expect } from 'chai';
import { readdirSync } from 'node:fs';
import * as path from 'node:path';
import { CONTEXT_COLUMNS } from '../../src/engine/features/columns.ts';
import { FeatureBuilder } from '../../src/engine/features/FeatureBuilder.ts';
import { readTickFile } from '../../src/ticks/import/streamTickFile.ts';
import { hasRealTicks, REAL_TICKS_DIR, REAL_TICKS_SKIPPED } from '../support/realTicks.ts';

/** The largest files take seconds to read; this limit leaves eight series of four market classes. */
const LARGE = /xauusd-oanda|eurusd/;

describe('features of real ticks', () => {
  before(function () {
    if (hasRealTicks) return;
    process.stdout.write(`skipped: ${REAL_TICKS_SKIPPED}\n`);
    this.skip();
  });

  it('are finite, or the window is refused with a reason, for each series, length and horizon', async () => {
    const builder = new FeatureBuilder();
    const sequence = new Float32Array(960);
    const context = new Float32Array(CONTEXT_COLUMNS);
    const files = readdirSync(REAL_TICKS_DIR).filter((name) => name.endsWith('.csv.gz') && !LARGE.test(name));
    for (const file of files) {
      const { series, rows } = await readTickFile(path.join(REAL_TICKS_DIR, file));
      let answered = 0;
      for (let k = 0; k < 60; k++) {
        const ticks = [200, 500, 3000][k % 3];
        const to = ticks + Math.floor(((rows - ticks) * k) / 60);
        const measures = builder.read(series, to - ticks, to, series.timesUs[to - 1] + [10e6, 60e6, 300e6][k % 3]);
        if (typeof measures === 'string') continue;
        answered++;
        expect(builder.write(measures.thetaDefault, sequence, 0, context, 0), file).to.equal(null);
        expect(sequence.every(Number.isFinite) && context.every(Number.isFinite), file).to.equal(true);
      }
      expect(answered, file).to.be.above(30);
    }
  });
});
