import type { LstmShape } from '../lstm/LstmProgram.ts';
import type { SummaryCall, SummaryGradients, SummaryProgram } from '../lstm/SummaryProgram.ts';
import type { CudaDriver } from './CudaDriver.ts';
import { CudaQueue, SHARED_FLOATS } from './CudaQueue.ts';
import type { CardState } from './CardState.ts';
import { fitsCuda } from './CudaTrunk.ts';
import { KERNEL, packLstm, packRecurrent } from './packLstm.ts';

const MOST_STEPS = 3000;
/** As in lstm.cu: rows of a gradient that a block of `weightGradients` sums, and steps whose inputs it has at once. */
const [DEPTH, CHUNK] = [16, 32] as const;
const SUM_THREADS = 256;

/** Whether the kernels compute this layer and its gradient. */
export function fitsCudaTraining({ units, columns, steps }: Omit<LstmShape, 'batch'>): boolean {
  return fitsCuda({ units, columns }) && steps <= MOST_STEPS;
}

/** Arrays one after the other, each beginning at a multiple of 64 floats, as the kernels read four numbers at once. */
class Layout {
  floats = 0;

  /** Byte offset of space for `count` floats. */
  take(count: number): number {
    const at = 4 * this.floats;
    this.floats = Math.ceil((this.floats + count) / 64) * 64;
    return at;
  }
}

/** Byte offsets. Pinned memory is copied up to `forwardBytes` or from there to `copiedBytes`; the card has the same offsets, then its own. */
function layoutOf({ batch, steps, columns, units }: LstmShape) {
  const shared = new Layout();
  const threads = 4 * units;
  const depth = columns + units + 1;
  const forward = {
    x: shared.take(batch * steps * columns),
    packed: shared.take((units / 4 + KERNEL.mostColumns / 4 + 1) * threads * 4),
    attention: shared.take(units),
  };
  const forwardBytes = 4 * shared.floats;
  const backward = { recurrent: shared.take(units * threads), dy: shared.take(batch * 2 * units) };
  const copiedBytes = 4 * shared.floats;
  const [host, card] = [new Layout(), new Layout()];
  host.floats = card.floats = shared.floats;
  const results = { summary: host.take(batch * 2 * units), gradients: host.take((depth + 1) * threads) };
  const kept = {
    states: card.take(batch * steps * units),
    gates: card.take(batch * steps * threads),
    cells: card.take(batch * steps * units),
    dz: card.take(batch * steps * threads),
    sums: card.take(batch * (depth + 1) * threads),
  };
  return {
    ...{ threads, depth, forwardBytes, copiedBytes, hostBytes: 4 * host.floats, cardBytes: 4 * card.floats },
    ...forward,
    ...backward,
    ...results,
    ...kept,
  };
}

/**
 * LSTM and attention for training on an NVIDIA card, for layers that fit (fitsCudaTraining). What the gradient needs stays on the card until the next
 * forward call. All sums have a fixed order: the same inputs give the same bits on the same card. Throws CudaError.
 */
export class CudaSummary implements SummaryProgram {
  readonly #queue: CudaQueue;
  /** Of the forward call whose values are on the card. */
  #tapeId = 0;

  constructor(driver: CudaDriver) {
    this.#queue = new CudaQueue(driver);
  }

  forwardSummary(call: SummaryCall): Float32Array {
    const { batch, steps, columns, units } = call;
    const at = layoutOf(call);
    this.#tapeId = 0;
    const host = this.#queue.pinned(at.hostBytes);
    const card = this.#queue.scratch(at.cardBytes);
    const put = (offset: number, values: Float32Array): void => host.floats.set(values, offset / 4);
    put(at.x, call.x);
    put(at.packed, packLstm(call, columns));
    put(at.attention, call.attention);
    this.#queue.driver.startCopy(card, host.address, at.forwardBytes);
    const free = SHARED_FLOATS - 2 * units;
    const chunkSteps = Math.min(steps, Math.floor(free / columns));
    const sharedBytes = 4 * (2 * units + Math.max((units / 4) * (units + 2) + 2 * units, chunkSteps * columns));
    this.#queue.launch({ kernel: 'summaryForward', blocks: batch, threads: at.threads, sharedBytes }, [
      ...[at.x, at.packed, at.attention, at.states, at.gates, at.cells].map((offset) => card + offset),
      ...[host.onDevice + at.summary, steps, columns, chunkSteps],
    ]);
    this.#queue.wait();
    this.#tapeId = call.tapeId;
    return host.floats.subarray(at.summary / 4, at.summary / 4 + batch * 2 * units);
  }

  backwardSummary(call: SummaryCall, dy: Float32Array): SummaryGradients {
    if (this.#tapeId === 0 || this.#tapeId !== call.tapeId) this.forwardSummary(call);
    const { batch, steps, columns, units } = call;
    const at = layoutOf(call);
    const host = this.#queue.pinned(at.hostBytes);
    const card = this.#queue.scratch(at.cardBytes);
    host.floats.set(packRecurrent(call.recurrentKernel), at.recurrent / 4);
    host.floats.set(dy, at.dy / 4);
    this.#queue.driver.startCopy(card + at.forwardBytes, host.address + at.forwardBytes, at.copiedBytes - at.forwardBytes);
    const onCard = (...offsets: readonly number[]): number[] => offsets.map((offset) => card + offset);
    const sharedBytes = 4 * (2 * at.threads + 2 * steps + at.threads / 32);
    this.#queue.launch({ kernel: 'summaryBackward', blocks: batch, threads: at.threads, sharedBytes }, [
      ...onCard(at.recurrent, at.attention, at.states, at.gates, at.cells, at.dy, at.dz, at.sums),
      ...[steps, at.depth],
    ]);
    const tiles = Math.ceil(at.depth / DEPTH);
    this.#queue.launch({ kernel: 'weightGradients', blocks: batch * tiles, threads: at.threads, sharedBytes: 4 * CHUNK * DEPTH }, [
      ...onCard(at.x, at.states, at.dz, at.sums),
      ...[steps, columns, units, tiles],
    ]);
    const count = (at.depth + 1) * at.threads;
    this.#queue.launch({ kernel: 'sumRows', blocks: Math.ceil(count / SUM_THREADS), threads: SUM_THREADS, sharedBytes: 0 }, [
      ...[card + at.sums, host.onDevice + at.gradients, batch, count],
    ]);
    this.#queue.wait();
    return unpackGradients(host.floats.subarray(at.gradients / 4, at.gradients / 4 + count), columns, units);
  }
}

/** From [columns, units, bias, attention] rows of [units, gates] to the layouts of the weights. */
export function unpackGradients(sums: Float32Array, columns: number, units: number): SummaryGradients {
  const width = 4 * units;
  const rowsOf = (from: number, count: number): Float32Array => {
    const values = new Float32Array(count * width);
    for (let row = 0, at = 0; row < count; row++)
      for (let gate = 0; gate < 4; gate++)
        for (let unit = 0; unit < units; unit++) values[at++] = sums[(from + row) * width + 4 * unit + gate];
    return values;
  };
  const attention = new Float32Array(units);
  for (let unit = 0; unit < units; unit++) attention[unit] = sums[(columns + units + 1) * width + 4 * unit];
  return { kernel: rowsOf(0, columns), recurrentKernel: rowsOf(columns, units), bias: rowsOf(columns + units, 1), attention };
}

/** Trains on the card while it is usable and the layer fits, else here. */
export function summaryOnCard(card: SummaryProgram, here: SummaryProgram, state: CardState): SummaryProgram {
  const choose = <Result>(call: SummaryCall, run: (program: SummaryProgram) => Result): Result =>
    fitsCudaTraining(call)
      ? state.run(
          () => run(card),
          () => run(here),
        )
      : run(here);
  return {
    forwardSummary: (call) => choose(call, (program) => program.forwardSummary(call)),
    backwardSummary: (call, dy) => choose(call, (program) => program.backwardSummary(call, dy)),
  };
}
