import type { ModelFolder } from '../src/engine/model/modelFiles.ts';
import { CudaSummary } from '../src/engine/runtime/cuda/CudaSummary.ts';
import { cudaBackend } from '../src/engine/runtime/cuda/cudaBackend.ts';
import type { CudaDriver } from '../src/engine/runtime/cuda/CudaDriver.ts';
import { KERNEL } from '../src/engine/runtime/cuda/packLstm.ts';
import type { LstmShape } from '../src/engine/runtime/lstm/LstmProgram.ts';
import type { SummaryCall, SummaryProgram } from '../src/engine/runtime/lstm/SummaryProgram.ts';
import { openRuntime } from '../src/engine/runtime/openRuntime.ts';
import { wasmBackend } from '../src/engine/runtime/wasmBackend.ts';
import { allocateBatch } from '../training/loop/Batch.ts';
import { lossAndGradients } from '../training/loop/lossAndGradients.ts';
import type { BenchRow } from './Bench.ts';
import { difference, random, randomRows } from './cudaRows.ts';
import { measure } from './measure.ts';

/** The first is that of the base. */
const TRAINING_SHAPES: readonly LstmShape[] = [
  { units: 16, columns: 10, steps: 96, batch: 64 },
  { units: 16, columns: 10, steps: 96, batch: 128 },
  { units: 16, columns: 10, steps: 500, batch: 64 },
];
/** Of which the plain loop takes seconds. */
const CASES = 60;

let lastTape = 0;

function callOf(shape: LstmShape, seed: number): { readonly call: SummaryCall; readonly dy: Float32Array } {
  const { call, trunk } = randomRows({ ...shape, context: 0, outputs: 1 }, seed);
  const next = random(seed + 1000);
  return {
    call: { ...call, tapeId: ++lastTape, attention: trunk.attention },
    dy: Float32Array.from({ length: shape.batch * 2 * shape.units }, () => next()),
  };
}

/** Forward pass and gradients on the card next to those of the processor, and twice on the card. */
export function compareTraining(driver: CudaDriver, simd: SummaryProgram): BenchRow[] {
  const [card, here, again] = [new CudaSummary(driver), simd, new CudaSummary(driver)];
  const next = random(11);
  const between = (least: number, most: number): number => least + Math.floor(((next() + 1) / 2) * (most - least + 1));
  let [worst, changed] = [0, 0];
  for (let i = 0; i < CASES; i++) {
    const steps = i % 10 === 0 ? 1 : between(1, 200);
    const { call, dy } = callOf({ units: KERNEL.units, columns: between(1, KERNEL.mostColumns), steps, batch: between(1, 20) }, i);
    const [ours, twice] = [card, again].map((program) => ({ summary: program.forwardSummary(call), ...program.backwardSummary(call, dy) }));
    const theirs = { summary: here.forwardSummary(call), ...here.backwardSummary(call, dy) };
    // Relative to the largest number of all: with one step, the gradient of the attention is 0 but for rounding.
    const size = Object.values(theirs).reduce(
      (most, values) => values.reduce((largest, value) => Math.max(largest, Math.abs(value)), most),
      0,
    );
    for (const [name, own] of Object.entries(ours!)) {
      const values = theirs[name as keyof typeof theirs];
      const off = difference(
        own.map((value) => value / size),
        values.map((value) => value / size),
      );
      if (!(off <= worst)) worst = off;
      if (own.some((value, at) => !Object.is(value, twice![name as keyof typeof theirs][at]))) changed++;
    }
  }
  return [
    {
      what: `training, ${CASES} random shapes: largest difference of a gradient`,
      value: worst * 1e6,
      unit: 'millionths',
      target: '<= 10 millionths',
    },
    { what: `training, ${CASES} random shapes: arrays with other bits in a second run`, value: changed, unit: 'arrays', target: '0' },
  ];
}

/** LSTM, attention and their gradients, from arrays to arrays. */
export async function timeTraining(driver: CudaDriver, simd: SummaryProgram): Promise<BenchRow[]> {
  const card = new CudaSummary(driver);
  const rows: BenchRow[] = [];
  for (const shape of TRAINING_SHAPES) {
    const { call, dy } = callOf(shape, 5);
    const sides = [card, simd].map((program) => () => {
      program.forwardSummary(call);
      return program.backwardSummary(call, dy);
    });
    const [value = NaN, peerValue = NaN] = await measure(sides, { rounds: shape.steps > 96 ? 5 : 21 });
    const what = `training H=${shape.units} T=${shape.steps} B=${shape.batch} host to host`;
    rows.push({ what, value, unit: 'us', peer: 'SIMD, one core', peerValue, ratio: peerValue / value, target: '<= 1500 us' });
  }
  return rows;
}

/** A whole step of training of the shipped network without the optimiser: loss and gradients of 64 rows at two thresholds. */
export async function timeStep({ manifest, weights }: ModelFolder): Promise<BenchRow> {
  const size = 64;
  const batch = allocateBatch(size);
  const next = random(3);
  for (const values of [batch.sequence, batch.context, batch.baseline]) for (const i of values.keys()) values[i] = next();
  for (const i of batch.isHit.keys()) batch.isHit[i] = i % 3 === 0 ? 1 : 0;
  const times = { wasm: Infinity, cuda: Infinity };
  for (const candidate of [wasmBackend, cudaBackend, wasmBackend, cudaBackend]) {
    // Opens in this process: the probe of another one is for unknown machines.
    await openRuntime(candidate.name, { ladder: [{ ...candidate, isNative: false }] });
    const [us = NaN] = await measure([() => lossAndGradients(manifest.network, weights, batch)], { rounds: 41 });
    times[candidate.name as keyof typeof times] = Math.min(times[candidate.name as keyof typeof times], us);
  }
  const ratio = times.wasm / times.cuda;
  return {
    what: `loss and gradients of the shipped network, ${size} rows`,
    value: times.cuda,
    unit: 'us',
    peer: 'wasm',
    peerValue: times.wasm,
    ratio,
    target: '<= 1500 us',
  };
}
