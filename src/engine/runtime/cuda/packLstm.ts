/** Lanes that share a unit; as in lstmTrunk.cu. */
const LANES = 4;
const GATES = 4;

/** By gate, i, f, c, o: a gate is 1 / (1 + 2^z) of the scaled sum z, for c twice that, less 1. */
const SCALES = [-Math.LOG2E, -Math.LOG2E, -2 * Math.LOG2E, -Math.LOG2E] as const;

export type LstmWeights = {
  /** [columns, 4 units], gates in Keras order i, f, c, o. */
  readonly kernel: Float32Array;
  /** [units, 4 units] */
  readonly recurrentKernel: Float32Array;
  /** [4 units] */
  readonly bias: Float32Array;
};

/**
 * The weights in the order in which the threads of lstmTrunk.cu read them: [units / 4 + maxColumns / 4 + 1, 4 units threads, 4 gates]. `units` is a
 * multiple of 16, `maxColumns` of 4. A weight of a column that does not exist is 0; the bias belongs to the first lane of a unit.
 */
export function packLstm({ kernel, recurrentKernel, bias }: LstmWeights, units: number, columns: number, maxColumns: number): Float32Array {
  const threads = LANES * units;
  const held = units / LANES;
  const heldColumns = maxColumns / LANES;
  const packed = new Float32Array((held + heldColumns + 1) * threads * GATES);
  for (let thread = 0; thread < threads; thread++) {
    const unit = Math.floor(thread / LANES);
    const lane = thread % LANES;
    const put = (row: number, gate: number, weight: number): void => {
      packed[(row * threads + thread) * GATES + gate] = weight * SCALES[gate]!;
    };
    for (let gate = 0; gate < GATES; gate++) {
      const column = gate * units + unit;
      for (let k = 0; k < held; k++) {
        // Each lane reads four states at once.
        const state = Math.floor(k / 4) * 4 * LANES + lane * 4 + (k % 4);
        put(k, gate, recurrentKernel[state * GATES * units + column]!);
      }
      for (let k = 0; k < heldColumns; k++) {
        const input = k * LANES + lane;
        if (input < columns) put(held + k, gate, kernel[input * GATES * units + column]!);
      }
      if (lane === 0) put(held + heldColumns, gate, bias[column]!);
    }
  }
  return packed;
}
