import { execFile } from 'node:child_process';
import * as path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { CardState } from '../../../src/engine/runtime/cuda/CardState.ts';
import { ChosenTrunk } from '../../../src/engine/runtime/cuda/ChosenTrunk.ts';
import { CudaDriver, CudaError } from '../../../src/engine/runtime/cuda/CudaDriver.ts';
import { CudaSummary, fitsCudaTraining, summaryOnCard } from '../../../src/engine/runtime/cuda/CudaSummary.ts';
import { CudaTrunk } from '../../../src/engine/runtime/cuda/CudaTrunk.ts';
import { instantiateLstmModule } from '../../../src/engine/runtime/lstm/lstmModule.ts';
import { wave } from '../../../src/engine/runtime/lstm/probeLstm.ts';
import type { LstmCall, LstmShape } from '../../../src/engine/runtime/lstm/LstmProgram.ts';
import type { CardFault } from '../../../src/engine/runtime/Runtime.ts';
import { SimdLstmProgram, type TrunkCall, type TrunkProgram } from '../../../src/engine/runtime/lstm/SimdLstmProgram.ts';
import { buildOnce, onPath } from '../../support/buildGo.ts';
import { ROOT } from '../../support/tickmarkProcess.ts';

const SHAPE: LstmShape = { batch: 8, steps: 5, columns: 3, units: 16 };
const OUTPUTS = 4;
/** What the processor answers in these tests; the stand-in for a card answers zeros. */
const HERE = 7;

/** Advances a little with each look, as a clock does. */
class RunningClock {
  nowMs = 0;
  monotonicMs(): number {
    return (this.nowMs += 0.01);
  }
}

function rows(batch: number): { readonly call: LstmCall; readonly trunk: TrunkCall } {
  const { steps, columns, units } = SHAPE;
  const floats = (count: number): Float32Array => new Float32Array(count).fill(0.1);
  return {
    call: {
      ...{ ...SHAPE, batch, returnSequences: true, weightIds: [{}, {}, {}], tapeId: 0 },
      x: floats(batch * steps * columns),
      ...{ kernel: floats(columns * 4 * units), recurrentKernel: floats(units * 4 * units), bias: floats(4 * units) },
    },
    trunk: { context: floats(batch * 2), attention: floats(units), kernel: floats((2 * units + 2) * OUTPUTS), bias: floats(OUTPUTS) },
  };
}

/** Both sides after a measurement, in which the processor takes 1 ms a row. */
function measured(openCard: (clock: RunningClock) => TrunkProgram, shapes: readonly LstmShape[] = [SHAPE]) {
  const clock = new RunningClock();
  const faults: CardFault[] = [];
  let answer = 0;
  const simd: TrunkProgram = {
    forwardTrunk({ batch }, { bias }) {
      clock.nowMs += batch;
      return new Float32Array(batch * bias.length).fill(answer);
    },
  };
  const chosen = new ChosenTrunk({ simd, card: openCard(clock), clock, state: new CardState((fault) => faults.push(fault), clock) });
  const tunings = shapes.map((shape) => chosen.tune(shape));
  answer = HERE;
  const { call, trunk } = rows(SHAPE.batch);
  return { chosen, clock, faults, tunings, where: () => (chosen.forwardTrunk(call, trunk)[0] === HERE ? 'here' : 'card') };
}

describe('faults of CUDA', () => {
  let library: string;
  before(async function () {
    const compiler = onPath('gcc');
    if (compiler === undefined) {
      process.stdout.write('    skipped: there is no gcc for the stand-in for libcuda.so.1\n');
      return this.skip();
    }
    const source = path.join(ROOT, 'test', 'support', 'cuda', 'stubDriver.c');
    const flags = ['-shared', '-fPIC', '-O1'];
    library = await buildOnce('stubDriver', [source], (target) => promisify(execFile)(compiler, [...flags, '-o', target, source]), flags);
  });
  afterEach(() => {
    delete process.env['STUB_FAILS'];
    delete process.env['STUB_CARDS'];
  });

  const open = (): CudaTrunk => new CudaTrunk(new CudaDriver(0, library));

  for (const [fails, code] of [
    ['cuInit:803', 'CUDA_ERROR_SYSTEM_DRIVER_MISMATCH'],
    ['cuDeviceGetCount:100', 'CUDA_ERROR_NO_DEVICE'],
    ['cuDeviceGet:1', 'CUDA_ERROR_INVALID_VALUE'],
    ['cuDeviceGetName:1', 'CUDA_ERROR_INVALID_VALUE'],
    ['cuDevicePrimaryCtxRetain:2', 'CUDA_ERROR_OUT_OF_MEMORY'],
    ['cuCtxSetCurrent:1', 'CUDA_ERROR_INVALID_VALUE'],
    ['cuStreamCreate:2', 'CUDA_ERROR_OUT_OF_MEMORY'],
    ['cuDriverGetVersion:4711', 'error 4711'],
  ] as const) {
    const [call = ''] = fails.split(':');
    it(`refuses a card when ${call} fails`, () => {
      process.env['STUB_FAILS'] = fails;
      expect(open).to.throw(CudaError, `${call} of the NVIDIA driver answered ${code}`);
    });
  }

  it('shares several cards out', () => {
    process.env['STUB_CARDS'] = '2';
    const cards = [0, 1, 2, 3].map((number) => new CudaDriver(number, library).description.slice(0, 6));
    expect(cards).to.deep.equal(['Stub 0', 'Stub 1', 'Stub 0', 'Stub 1']);
  });

  it('refuses a driver without a card, and a library that is not there', () => {
    expect(new CudaDriver(0, library).description).to.equal('Stub 0, driver for CUDA 12.8');
    process.env['STUB_CARDS'] = '0';
    expect(open).to.throw(CudaError, 'CUDA_ERROR_NO_DEVICE');
    expect(() => new CudaDriver(0, 'libnone.so.1')).to.throw('Failed to load shared library');
  });

  for (const [fails, code] of [
    ['cuMemAlloc_v2:2', 'CUDA_ERROR_OUT_OF_MEMORY'],
    ['cuMemcpyHtoD_v2:719', 'CUDA_ERROR_LAUNCH_FAILED'],
    ['cuMemHostAlloc:2', 'CUDA_ERROR_OUT_OF_MEMORY'],
    ['cuMemHostGetDevicePointer_v2:1', 'CUDA_ERROR_INVALID_VALUE'],
    ['cuLaunchKernel:719', 'CUDA_ERROR_LAUNCH_FAILED'],
    ['cuStreamQuery:214', 'CUDA_ERROR_ECC_UNCORRECTABLE'],
    ['hang', 'nothing within 2 s'],
  ] as const) {
    const call = fails === 'hang' ? 'cuStreamQuery' : fails.split(':')[0];
    const isTriedAgain = code === 'CUDA_ERROR_OUT_OF_MEMORY';
    it(`computes a batch here when ${call} answers ${code}, and those after it ${isTriedAgain ? 'for a minute' : 'too'}`, () => {
      // Its weights and its memory are made with this batch, which is longer than those before it.
      const { chosen, clock, faults } = measured(open);
      const { call: rowsCall, trunk } = rows(SHAPE.batch * 20);
      const long = { ...rowsCall, weightIds: [{}, {}, {}] as [object, object, object] };
      const where = (): string => (chosen.forwardTrunk(long, trunk)[0] === HERE ? 'here' : 'card');
      process.env['STUB_FAILS'] = fails;
      expect(where()).to.equal('here');
      expect(faults).to.deep.equal([{ message: `${call} of the NVIDIA driver answered ${code}`, isTriedAgain }]);
      delete process.env['STUB_FAILS'];
      expect(where()).to.equal('here');
      clock.nowMs += 60_000;
      expect([where(), faults.length]).to.deep.equal([isTriedAgain ? 'card' : 'here', 1]);
    });
  }

  for (const [fails, code] of [
    ['cuModuleLoadData:222', 'CUDA_ERROR_UNSUPPORTED_PTX_VERSION'],
    ['cuModuleGetFunction:1', 'CUDA_ERROR_INVALID_VALUE'],
  ] as const)
    it(`leaves all batches to the processor when ${fails.split(':')[0]} fails in the measurement`, () => {
      process.env['STUB_FAILS'] = fails;
      const { tunings, faults, where } = measured(open, [SHAPE, SHAPE]);
      expect(tunings.map(({ refused }) => refused.cuda)).to.deep.equal([
        `${fails.split(':')[0]} of the NVIDIA driver answered ${code}`,
        'it failed',
      ]);
      delete process.env['STUB_FAILS'];
      expect([where(), faults.length]).to.deep.equal(['here', 1]);
    });

  it('gives the card each batch that it computes in half the time', () => {
    const { chosen, tunings } = measured(
      (clock) => ({
        forwardTrunk({ batch }, { bias }) {
          clock.nowMs += 1.25;
          return new Float32Array(batch * bias.length);
        },
      }),
      [1, 8].map((batch) => ({ ...SHAPE, batch })),
    );
    expect(tunings.map((tuning) => tuning.chosen)).to.deep.equal(['simd', 'cuda']);
    const sides = [1, 2, 3, 4, 20].map((batch) => {
      const { call, trunk } = rows(batch);
      return chosen.forwardTrunk(call, trunk)[0] === HERE ? 'here' : 'card';
    });
    expect(sides).to.deep.equal(['here', 'here', 'card', 'card', 'card']);
    // Twelve thresholds of one window cost this processor one sequence.
    const { call, trunk } = rows(1);
    const shared = { ...trunk, context: new Float32Array(12 * 2), sequenceOf: new Int32Array(12) };
    expect(chosen.forwardTrunk(call, shared)[0]).to.equal(HERE);
  });

  it('leaves sizes without a kernel, and a card with other numbers, to the processor', () => {
    const wrong = {
      forwardTrunk: ({ batch }: LstmCall, { bias }: TrunkCall) => new Float32Array(batch * bias.length).fill(1),
      close: () => undefined,
    };
    const refused = measured(() => wrong);
    expect(refused.tunings[0]?.refused.cuda).to.match(/wrong trunk/);
    expect([refused.where(), refused.faults.length]).to.deep.equal(['here', 0]);
    for (const odd of [{ units: 24 }, { units: 144 }, { columns: 33 }])
      expect(measured(open, [{ ...SHAPE, ...odd }]).tunings[0]?.refused).to.deep.equal({ cuda: 'no kernel of this size' });
  });

  describe('in training', () => {
    const { call: lstm, trunk } = rows(3);
    const call = { ...lstm, attention: trunk.attention, tapeId: 5 };
    const dy = new Float32Array(3 * 2 * SHAPE.units);
    // Each with its own memory, in which a program leaves its results.
    let [here, fallback] = [] as unknown as [SimdLstmProgram, SimdLstmProgram];
    before(async () => {
      [here, fallback] = [new SimdLstmProgram(await instantiateLstmModule()), new SimdLstmProgram(await instantiateLstmModule())];
    });
    const trained = () => {
      const faults: CardFault[] = [];
      const program = summaryOnCard(new CudaSummary(new CudaDriver(0, library)), fallback, new CardState((fault) => faults.push(fault)));
      return { program, faults };
    };

    for (const [fails, code] of [
      ['cuMemAlloc_v2:2', 'CUDA_ERROR_OUT_OF_MEMORY'],
      ['cuMemcpyHtoDAsync_v2:719', 'CUDA_ERROR_LAUNCH_FAILED'],
      ['cuMemHostAlloc:2', 'CUDA_ERROR_OUT_OF_MEMORY'],
      ['cuModuleLoadData:222', 'CUDA_ERROR_UNSUPPORTED_PTX_VERSION'],
      ['cuLaunchKernel:719', 'CUDA_ERROR_LAUNCH_FAILED'],
      ['cuStreamQuery:214', 'CUDA_ERROR_ECC_UNCORRECTABLE'],
    ] as const) {
      it(`goes on here when ${fails.split(':')[0]} answers ${code}`, () => {
        const { program, faults } = trained();
        process.env['STUB_FAILS'] = fails;
        expect(program.forwardSummary(call)).to.deep.equal(here.forwardSummary(call));
        expect(program.backwardSummary(call, dy)).to.deep.equal(here.backwardSummary(call, dy));
        expect(faults.map(({ message }) => message)).to.deep.equal([`${fails.split(':')[0]} of the NVIDIA driver answered ${code}`]);
      });

      it(`computes the gradient here when ${fails.split(':')[0]} answers ${code} after the forward pass`, () => {
        const { program, faults } = trained();
        program.forwardSummary(call);
        process.env['STUB_FAILS'] = fails;
        const gradients = program.backwardSummary(call, dy);
        const isNeeded = !fails.startsWith('cuMem') || fails.startsWith('cuMemcpy');
        if (isNeeded) expect(gradients).to.deep.equal(here.backwardSummary(call, dy));
        expect(faults).to.have.length(isNeeded ? 1 : 0);
      });
    }

    it('computes layers without kernels here', () => {
      const { program } = trained();
      for (const odd of [{ units: 24 }, { units: 32 }, { columns: 13 }, { steps: 3001 }])
        expect(fitsCudaTraining({ ...SHAPE, ...odd }), JSON.stringify(odd)).to.equal(false);
      const [units, columns] = [8, SHAPE.columns];
      const weights = { kernel: wave(columns * 32, 1), recurrentKernel: wave(units * 32, 2), bias: wave(32, 3), attention: wave(8, 4) };
      const small = { ...call, units, ...weights };
      expect(program.forwardSummary(small)).to.deep.equal(here.forwardSummary(small));
    });
  });
});
