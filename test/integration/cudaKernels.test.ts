import { expect } from 'chai';
import fc from 'fast-check';
import { KERNEL } from '../../src/engine/runtime/cuda/packLstm.ts';
import { LoopLstmProgram } from '../../src/engine/runtime/lstm/LoopLstmProgram.ts';
import { wave } from '../../src/engine/runtime/lstm/probeLstm.ts';
import { instantiateLstmModule } from '../../src/engine/runtime/lstm/lstmModule.ts';
import { SimdLstmProgram } from '../../src/engine/runtime/lstm/SimdLstmProgram.ts';
import { onPath } from '../support/buildGo.ts';
import { buildEmulator, runEmulated, runEmulatedTraining, type EmulatedCall } from '../support/cuda/emulatedCuda.ts';

type Shape = Readonly<Record<'columns' | 'steps' | 'rows' | 'contextColumns' | 'outputs' | 'chunkSteps' | 'seed', number>>;

const scaled = (values: Float32Array, fanIn: number): Float32Array => values.map((value) => (2 * value) / Math.sqrt(fanIn));

function callOf({ columns, steps, rows, contextColumns, outputs, chunkSteps, seed }: Shape): EmulatedCall {
  const { units } = KERNEL;
  const pitch = 0.1 + (seed % 1000) / 700;
  const depth = 2 * units + contextColumns;
  return {
    lstm: {
      batch: rows,
      steps,
      columns,
      units,
      x: wave(rows * steps * columns, pitch),
      kernel: scaled(wave(columns * 4 * units, 1.3 * pitch), columns),
      recurrentKernel: scaled(wave(units * 4 * units, 2.1 * pitch), units),
      bias: wave(4 * units, 0.4 * pitch),
      returnSequences: true,
      weightIds: [{}, {}, {}],
      tapeId: 0,
    },
    trunk: {
      context: wave(rows * contextColumns, 0.3 * pitch),
      attention: wave(units, 1.7 * pitch),
      kernel: scaled(wave(depth * outputs, 0.9 * pitch), depth),
      bias: wave(outputs, 0.5 * pitch),
    },
    chunkSteps,
    seed,
  };
}

/** Attention and trunk in double precision over the states of the plain loop. */
function expectedOf({ lstm, trunk }: EmulatedCall): number[] {
  const { batch, steps, units } = lstm;
  const outputs = trunk.bias.length;
  const contextColumns = trunk.context.length / batch;
  const states = new LoopLstmProgram().forward(lstm);
  return Array.from({ length: batch }, (_, row) => {
    const stateOf = (t: number): Float32Array => states.subarray((row * steps + t) * units, (row * steps + t + 1) * units);
    const scores = Array.from({ length: steps }, (_step, t) => stateOf(t).reduce((sum, h, u) => sum + h * trunk.attention[u], 0));
    const largest = Math.max(...scores);
    const weights = scores.map((score) => Math.exp(score - largest));
    const whole = weights.reduce((sum, weight) => sum + weight, 0);
    const mean = Array.from({ length: units }, (_unit, u) => weights.reduce((sum, weight, t) => sum + weight * stateOf(t)[u], 0) / whole);
    const joined = [...stateOf(steps - 1), ...mean, ...trunk.context.subarray(row * contextColumns, (row + 1) * contextColumns)];
    return Array.from({ length: outputs }, (_output, d) => {
      const sum = joined.reduce((total, value, k) => total + value * trunk.kernel[k * outputs + d], trunk.bias[d]);
      return sum <= 0 ? 0 : sum;
    });
  }).flat();
}

/** Fails with the shape and place of the first number that is not within 1e-5; NaN and infinity are the same on both sides. */
function expectClose(actual: Float32Array, call: EmulatedCall, shape: Shape): void {
  const expected = expectedOf(call);
  expect(actual.length).to.equal(expected.length);
  const wrong = expected.findIndex((value, i) => {
    const got = actual[i];
    return Number.isFinite(value) ? !(Math.abs(got - value) <= 1e-5 * Math.max(1, Math.abs(value))) : !Object.is(got, value);
  });
  if (wrong >= 0) expect.fail(`${actual[wrong]} at ${wrong}, expected ${expected[wrong]}, for ${JSON.stringify(shape)}`);
}

const SMALL: Shape = { columns: 10, steps: 9, rows: 3, contextColumns: 7, outputs: 22, chunkSteps: 4, seed: 1 };

/** Work of the emulation: each step of each thread costs nine switches. */
const MOST_THREAD_STEPS = 60_000;

const shapes: fc.Arbitrary<Shape> = fc
  .record({
    columns: fc.integer({ min: 1, max: KERNEL.mostColumns }),
    steps: fc.integer({ min: 1, max: 200 }),
    rows: fc.integer({ min: 1, max: 9 }),
    contextColumns: fc.integer({ min: 0, max: 80 }),
    outputs: fc.integer({ min: 1, max: 64 }),
    chunk: fc.double({ min: 0, max: 1, noNaN: true }),
    seed: fc.nat(),
  })
  .map(({ chunk, ...shape }) => {
    const most = Math.min(shape.steps, Math.floor((12_288 - 2 * KERNEL.units) / shape.columns));
    const rows = Math.max(1, Math.min(shape.rows, Math.floor(MOST_THREAD_STEPS / (4 * KERNEL.units * shape.steps))));
    return { ...shape, rows, chunkSteps: Math.max(1, Math.round(chunk * most)) };
  });

describe('the CUDA kernels, compiled for the CPU', () => {
  let program: string;
  before(async function () {
    const compiler = onPath('g++');
    if (compiler === undefined) {
      process.stdout.write('    skipped: g++ is not on the PATH\n');
      this.skip();
    }
    program = await buildEmulator(compiler);
  });

  const runAll = (cases: readonly (readonly [Shape, EmulatedCall])[]): void => {
    const results = runEmulated(
      program,
      cases.map(([, call]) => call),
    );
    for (const [i, [shape, call]] of cases.entries()) expectClose(results[i], call, shape);
  };

  const widths = Array.from({ length: KERNEL.mostColumns }, (_, at) => ({ ...SMALL, columns: at + 1, rows: 2, seed: at }));

  it('give what the plain loop gives, for every number of columns', () => {
    runAll(widths.map((shape) => [shape, callOf(shape)]));
  });

  it('give what the plain loop gives, for random shapes', () => {
    runAll(fc.sample(shapes, { seed: 49, numRuns: 30 }).map((shape) => [shape, callOf(shape)]));
  });

  it('take one step, one row, one output and no context', () => {
    const edges: Partial<Shape>[] = [
      { steps: 1, chunkSteps: 1 },
      { rows: 1 },
      { outputs: 1 },
      { contextColumns: 0 },
      { steps: 1, chunkSteps: 1, rows: 1, outputs: 1, contextColumns: 0, columns: 1 },
      { chunkSteps: 1 },
      { chunkSteps: 9 },
      { contextColumns: 300, outputs: 300 },
    ];
    const cases = edges.map((edge) => ({ ...SMALL, ...edge }));
    runAll(cases.map((shape) => [shape, callOf(shape)]));
  });

  it('keep NaN, and infinity where it is the result, in their own row', () => {
    const cases = [NaN, Infinity, -Infinity, 1e30, -1e30].flatMap((value) =>
      ['x', 'context'].map((where) => {
        const call = callOf({ ...SMALL, steps: 40, chunkSteps: 11 });
        const row = where === 'x' ? call.lstm.x : call.trunk.context;
        row[Math.floor(row.length / 2)] = value;
        return [SMALL, call] as const;
      }),
    );
    runAll(cases);
    const counts = cases.map(([, call]) => expectedOf(call).filter((value) => !Number.isFinite(value)).length);
    expect(Math.max(...counts)).to.equal(SMALL.outputs);
    expect(counts.filter((count) => count > 0).length).to.be.greaterThan(2);
  });

  let oracle: SimdLstmProgram;
  before(async () => {
    oracle = new SimdLstmProgram(await instantiateLstmModule());
  });

  /** Compares forward pass and gradients of training with the module of the processor, whose own test compares it with the plain loop. */
  const trainAll = (cases: readonly Shape[]): void => {
    const calls = cases.map((shape) => {
      const { lstm, trunk, chunkSteps, seed } = callOf(shape);
      const call = { ...lstm, attention: trunk.attention };
      return { call, dy: wave(lstm.batch * 2 * lstm.units, 0.7 + (seed % 100) / 90), chunkSteps, seed };
    });
    for (const [i, { summary, gradients }] of runEmulatedTraining(program, calls).entries()) {
      const { call, dy } = calls[i];
      const expected = { summary: oracle.forwardSummary(call), ...oracle.backwardSummary(call, dy) };
      for (const [name, values] of Object.entries({ summary, ...gradients })) {
        const wanted = expected[name as keyof typeof expected];
        const size = Math.max(
          1,
          wanted.reduce((most, value) => Math.max(most, Math.abs(value)), 0),
        );
        const wrong = wanted.findIndex((value, at) => !(Math.abs(values[at] - value) <= 1e-5 * size));
        if (values.length !== wanted.length || wrong >= 0)
          expect.fail(`${name}: ${values[wrong]} at ${wrong}, expected ${wanted[wrong]}, for ${JSON.stringify(cases[i])}`);
      }
    }
  };

  it('train as the processor does, for every number of columns', () => trainAll(widths));

  it('train as the processor does, for random shapes, and for one step', () => {
    const drawn = fc.sample(shapes, { seed: 50, numRuns: 30 });
    trainAll([
      ...drawn,
      ...[1, 2, 3, 4, 5, 8, 33].map((steps) => ({ ...SMALL, steps, chunkSteps: Math.min(steps, 4), rows: 1, columns: 1 })),
    ]);
  });
});
