import { systemClock, type Clock } from '../../../core/Clock.ts';
import { compareDurations } from '../../../core/compareDurations.ts';
import type { LstmCall, LstmShape } from '../lstm/LstmProgram.ts';
import type { LstmTuning } from '../Runtime.ts';
import { compareLstm, wave } from '../lstm/probeLstm.ts';
import type { TrunkCall, TrunkProgram } from '../lstm/SimdLstmProgram.ts';
import type { CardState } from './CardState.ts';
import { CudaError } from './CudaDriver.ts';
import { fitsCuda } from './CudaTrunk.ts';

const ROUNDS = 12;
/** Before it is timed, each side runs this long: V8 compiles the module of the processor again while it runs, which makes it twice as fast. */
const WARM_MS = 30;
/**
 * The card gets a batch that it computes in this part of the time: a service is not a loop, and after 10 ms without work an H100 took 110 microseconds
 * longer, the processor 55 (docs/benchmarks/cuda.md).
 */
const MARGIN = 2;
export type ChosenTrunkDeps = {
  readonly simd: TrunkProgram;
  readonly card: TrunkProgram;
  readonly state: CardState;
  readonly clock?: Pick<Clock, 'monotonicMs'>;
};

/**
 * Computes each batch where it ends first: a few rows on this processor, more on the card. Where to part them is measured (`tune`); before that, all
 * stay here. A batch that fails on the card is computed here, and so are those after it (CardState).
 */
export class ChosenTrunk implements TrunkProgram {
  readonly #deps: ChosenTrunkDeps;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  /** Rows from which on the card is faster, by the sizes of the layer. */
  readonly #leastRows = new Map<string, number>();

  constructor(deps: ChosenTrunkDeps) {
    this.#deps = deps;
    this.#clock = deps.clock ?? systemClock;
  }

  forwardTrunk(call: LstmCall, trunk: TrunkCall): Float32Array {
    const { simd, card, state } = this.#deps;
    const here = (): Float32Array => simd.forwardTrunk(call, trunk);
    // The processor computes a sequence once, however many rows share it, and each was measured with one row.
    return call.batch >= (this.#leastRows.get(keyOf(call)) ?? Infinity) ? state.run(() => card.forwardTrunk(call, trunk), here) : here();
  }

  /** Compares and times both on one shape, and decides for the batches of this layer. Measured at ascending sizes, the largest decides last. */
  tune(shape: LstmShape): LstmTuning {
    const { simd, card, state } = this.#deps;
    const only = { ...shape, chosen: 'simd', timesMs: {}, refused: {} } as const;
    if (!fitsCuda(shape)) return { ...only, refused: { cuda: 'no kernel of this size' } };
    if (!state.isUsable()) return { ...only, refused: { cuda: 'it failed' } };
    const { call, trunk } = rowsOf(shape);
    try {
      compareLstm('trunk', card.forwardTrunk(call, trunk), simd.forwardTrunk(call, trunk).slice(), 1e-5);
    } catch (error) {
      if (error instanceof CudaError) state.leave(error);
      return { ...only, refused: { cuda: error instanceof Error ? error.message : String(error) } };
    }
    const sides = { simd: () => simd.forwardTrunk(call, trunk), cuda: () => card.forwardTrunk(call, trunk) };
    for (const side of Object.values(sides)) {
      const endMs = this.#clock.monotonicMs() + WARM_MS;
      while (this.#clock.monotonicMs() < endMs) side();
    }
    const timesMs = compareDurations(sides, ROUNDS, this.#clock);
    const isFaster = MARGIN * timesMs.cuda < timesMs.simd;
    // The time here grows with the rows, that of the card hardly does.
    const least = isFaster ? Math.ceil((shape.batch * MARGIN * timesMs.cuda) / timesMs.simd) : Infinity;
    this.#leastRows.set(keyOf(shape), Math.min(this.#leastRows.get(keyOf(shape)) ?? Infinity, least));
    return { ...shape, chosen: isFaster ? 'cuda' : 'simd', timesMs, refused: {} };
  }
}

const keyOf = ({ steps, columns, units }: LstmShape): string => `${steps} ${columns} ${units}`;

/** Rows and weights of a size, with a trunk of 80 outputs as that of the base. */
function rowsOf({ batch, steps, columns, units }: LstmShape): { readonly call: LstmCall; readonly trunk: TrunkCall } {
  const scaled = (count: number, pitch: number, fanIn: number): Float32Array => wave(count, pitch).map((value) => value / Math.sqrt(fanIn));
  const [context, outputs] = [64, 80];
  return {
    call: {
      ...{ batch, steps, columns, units, returnSequences: true, weightIds: [{}, {}, {}], tapeId: 0 },
      x: wave(batch * steps * columns, 0.3),
      kernel: scaled(columns * 4 * units, 1.3, columns),
      recurrentKernel: scaled(units * 4 * units, 2.1, units),
      bias: wave(4 * units, 0.4),
    },
    trunk: {
      context: wave(batch * context, 0.6),
      attention: wave(units, 1.1),
      kernel: scaled((2 * units + context) * outputs, 0.8, 2 * units + context),
      bias: wave(outputs, 0.5),
    },
  };
}
