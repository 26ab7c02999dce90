import { readdirSync } from 'node:fs';
import * as path from 'node:path';
import { packageRoot } from '../src/core/packageRoot.ts';
import { US_PER_SECOND } from '../src/core/units.ts';
import { FeatureBuilder } from '../src/engine/features/FeatureBuilder.ts';
import { Heads } from '../src/engine/model/Heads.ts';
import { loadModelFolder } from '../src/engine/model/loadModelFolder.ts';
import type { ModelFolder } from '../src/engine/model/modelFiles.ts';
import { CudaDriver } from '../src/engine/runtime/cuda/CudaDriver.ts';
import { CudaTrunk } from '../src/engine/runtime/cuda/CudaTrunk.ts';
import { KERNEL } from '../src/engine/runtime/cuda/packLstm.ts';
import { instantiateLstmModule } from '../src/engine/runtime/lstm/lstmModule.ts';
import type { LstmCall } from '../src/engine/runtime/lstm/LstmProgram.ts';
import { openTrunkProgram } from '../src/engine/runtime/lstm/openTrunkProgram.ts';
import { SimdLstmProgram } from '../src/engine/runtime/lstm/SimdLstmProgram.ts';
import { syntheticTicks } from '../src/ticks/syntheticTicks.ts';
import type { Bench, BenchRow } from './Bench.ts';
import { difference, random, randomRows } from './cudaRows.ts';
import { compareTraining, timeStep, timeTraining } from './cudaTraining.ts';
import { measure } from './measure.ts';

/** As served, and with the steps of models for order books that other benches use. */
const SHAPES = [
  { units: 16, columns: 10, steps: 96 },
  { units: 16, columns: 10, steps: 500 },
] as const;
const BATCHES = [1, 8, 32, 256, 1024] as const;
/** Longer ones are timed in fewer rounds, and the longest without the processor, which takes seconds. */
const LONG_STATES = 2 ** 20;
const LONGEST_STATES = 2 ** 23;
const WINDOWS = 10_000;
const WINDOW_TICKS = 300;

function compareShapes(cuda: CudaTrunk, simd: SimdLstmProgram): BenchRow {
  const next = random(7);
  const between = (least: number, most: number): number => least + Math.floor(((next() + 1) / 2) * (most - least + 1));
  let most = 0;
  const cases = 300;
  for (let i = 0; i < cases; i++) {
    const sizes = { ...KERNEL, columns: between(1, KERNEL.mostColumns), steps: i % 10 === 0 ? 1 : between(1, 200), batch: between(1, 9) };
    const { call, trunk } = randomRows({ ...sizes, context: between(0, 90), outputs: between(1, 100) }, i);
    if (i % 25 === 3) call.x[0] = NaN;
    if (i % 25 === 7) call.x[call.x.length - 1] = Infinity;
    const off = difference(cuda.forwardTrunk(call, trunk), simd.forwardTrunk(call, trunk));
    if (!(off <= most)) most = off;
  }
  return { what: `${cases} random shapes: largest difference`, value: most * 1e6, unit: 'millionths', target: '<= 10 millionths' };
}

/** Windows of drawn ticks through the shipped model: logits and the side of 0 of each. */
function compareWindows(cuda: CudaTrunk, simd: SimdLstmProgram, { manifest, weights }: ModelFolder): BenchRow[] {
  const { steps, sequenceColumns, contextColumns, units, heads: horizons } = manifest.network;
  const series = syntheticTicks({ seed: 3, count: WINDOWS / 4 + WINDOW_TICKS });
  const builder = new FeatureBuilder();
  const sequence = new Float32Array(WINDOWS * steps * sequenceColumns);
  const context = new Float32Array(WINDOWS * contextColumns);
  const heads = Uint8Array.from({ length: WINDOWS }, (_, i) => i % horizons);
  for (let i = 0; i < WINDOWS; i++) {
    const start = Math.floor(i / 4);
    const futureUs = series.timesUs[start + WINDOW_TICKS - 1] + [10, 60, 300, 1800][i % 4] * US_PER_SECOND;
    const measures = builder.read(series, start, start + WINDOW_TICKS, futureUs);
    if (typeof measures === 'string') throw new Error(measures);
    builder.write(measures.thetaDefault, sequence, i * steps * sequenceColumns, context, i * contextColumns);
  }
  const call: LstmCall = {
    ...{ batch: WINDOWS, steps, columns: sequenceColumns, units, x: sequence, returnSequences: true, weightIds: [{}, {}, {}], tapeId: 0 },
    ...{ kernel: weights['lstm/kernel'], recurrentKernel: weights['lstm/recurrent_kernel'], bias: weights['lstm/bias'] },
  };
  const trunk = { context, attention: weights['attention/kernel'], kernel: weights['trunk/kernel'], bias: weights['trunk/bias'] };
  const readout = new Heads(manifest.network, weights);
  const logits = [cuda, simd].map((program) =>
    readout.read(program.forwardTrunk(call, trunk), { size: WINDOWS, baseline: new Float32Array(WINDOWS), heads }),
  );
  const [ours = [], theirs = []] = logits.map((rows) =>
    rows.flatMap(({ residualLogit, directionLogit }) => [residualLogit, directionLogit]),
  );
  const sides = ours.filter((logit, i) => logit > 0 !== theirs[i] > 0).length;
  const what = `${WINDOWS} windows of the shipped model`;
  return [
    {
      what: `${what}: largest difference of a logit`,
      value: difference(Float32Array.from(ours), Float32Array.from(theirs)) * 1e6,
      unit: 'millionths',
      target: '<= 10 millionths',
    },
    { what: `${what}: logits on another side of 0`, value: sides, unit: 'of 20000', target: '0' },
  ];
}

export const bench: Bench = {
  name: 'cuda',
  about:
    'The network up to its trunk on an NVIDIA card, from arrays to arrays, compared with the SIMD module on one core; first, whether both compute the same.',
  async run() {
    const driver = new CudaDriver();
    process.stderr.write(`${driver.description}\n`);
    const cuda = new CudaTrunk(driver);
    const strict = new SimdLstmProgram(await instantiateLstmModule());
    const simd = await openTrunkProgram(strict);
    const folder = path.join(packageRoot(), 'models');
    const base = readdirSync(folder).find((name) => name.startsWith('base-'));
    if (base === undefined) throw new Error(`no base model in ${folder}`);
    const model = loadModelFolder(path.join(folder, base));
    const rows = [compareShapes(cuda, simd), ...compareWindows(cuda, simd, model), ...compareTraining(driver, strict)];
    rows.push(...(await timeTraining(driver, strict)));
    rows.push(await timeStep(model));
    for (const shape of SHAPES) {
      for (const batch of BATCHES) {
        const { call, trunk } = randomRows({ ...shape, batch, context: 71, outputs: 80 }, batch);
        const states = batch * shape.steps * shape.units;
        const sides = [() => cuda.forwardTrunk(call, trunk), ...(states > LONGEST_STATES ? [] : [() => simd.forwardTrunk(call, trunk)])];
        const [value = NaN, peerValue] = await measure(sides, { rounds: states > LONG_STATES ? 5 : 41 });
        const what = `H=${shape.units} T=${shape.steps} B=${batch} host to host`;
        const compared = peerValue === undefined ? {} : { peer: 'SIMD, one core', peerValue, ratio: peerValue / value };
        rows.push({ what, value, unit: 'us', ...compared });
      }
    }
    return rows;
  },
};
