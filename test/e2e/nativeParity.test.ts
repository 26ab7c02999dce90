import { readdirSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import { openForecaster } from '../../src/service/app/openForecaster.ts';
import { readSettings } from '../../src/core/config/settings.ts';
import { readTickFile } from '../../src/ticks/import/streamTickFile.ts';
import type { TickSeries } from '../../src/ticks/TickSeries.ts';
import { whyNoNative } from '../support/nativeTensorflow.ts';
import { hasRealTicks, REAL_TICKS_DIR, REAL_TICKS_SKIPPED } from '../support/realTicks.ts';

const TICKS = [199, 499, 2999] as const;
const HORIZONS_S = [10, 60, 300, 1800] as const;
const ORIGINS = 3;

type Answer = { readonly mark: 1 | null; readonly logits: readonly number[] };

describe('answers on native TensorFlow and on WebAssembly', () => {
  it('are equal within 1e-5 on the real ticks of every series', async function () {
    this.timeout(900_000);
    const reason = hasRealTicks ? whyNoNative() : REAL_TICKS_SKIPPED;
    if (reason !== undefined) {
      process.stdout.write(`    skipped: ${reason}\n`);
      this.skip();
    }
    const files = readdirSync(REAL_TICKS_DIR).filter((name) => name.endsWith('.csv.gz'));
    const all: TickSeries[] = [];
    for (const file of files) all.push((await readTickFile(path.join(REAL_TICKS_DIR, file))).series);

    const native = await answersOf('native', all);
    const wasm = await answersOf('wasm', all);
    expect(native.length).to.equal(files.length * TICKS.length * ORIGINS * HORIZONS_S.length);
    let worst = 0;
    native.forEach((answer, index) => {
      answer.logits.forEach((logit, which) => {
        const other = wasm[index].logits[which];
        worst = Math.max(worst, Math.abs(logit - other) / Math.max(1, Math.abs(other)));
      });
    });
    expect(worst).to.be.at.most(1e-5);
    expect(native.filter(({ logits }) => logits.length === 3).length).to.be.above(native.length / 2);
    expect(native.map(({ mark }) => mark)).to.deep.equal(wasm.map(({ mark }) => mark));
  });
});

async function answersOf(backend: 'native' | 'wasm', all: readonly TickSeries[]): Promise<Answer[]> {
  const open = await openForecaster(readSettings({ RUNTIME_BACKEND: backend }));
  try {
    expect(open.runtime.backend).to.equal(backend);
    const answers: Answer[] = [];
    for (const series of all)
      for (const ticks of TICKS)
        for (let i = 1; i <= ORIGINS; i++) {
          const end = ticks + Math.floor(((series.timesUs.length - ticks) * i) / ORIGINS);
          const window = { timesUs: series.timesUs.subarray(end - ticks, end), prices: series.prices.subarray(end - ticks, end) };
          for (const horizonS of HORIZONS_S) {
            const futureUs = series.timesUs[end - 1] + horizonS * 1e6;
            const { mark, detail } = await open.forecaster.forecast({ series: window, futureUs }, { detail: true });
            const { baseline, network, total } = detail?.logit ?? {};
            answers.push({ mark, logits: [baseline, network, total].filter((logit) => logit !== undefined) });
          }
        }
    return answers;
  } finally {
    await open.close();
  }
}
