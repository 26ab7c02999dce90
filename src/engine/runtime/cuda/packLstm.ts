/** Lanes that share a unit; as in lstm.cu. A thread is 4 times its unit plus its lane. */
const LANES = 4;
const GATES = 4;

/** Sizes of the kernels in lstm.cu, those of the shipped network: other layers are computed by the SIMD module. */
export const KERNEL = { units: 16, mostColumns: 12 } as const;

/** A gate is 1 / (1 + 2^z) of the sum z with this factor; c has twice the factor, and is twice that, less 1. */
const SCALE = -Math.LOG2E;

export type LstmWeights = {
  /** [columns, 4 units], gates in Keras order i, f, c, o. */
  readonly kernel: Float32Array;
  /** [units, 4 units] */
  readonly recurrentKernel: Float32Array;
  /** [4 units] */
  readonly bias: Float32Array;
};

/**
 * The weights in the order in which the threads of lstm.cu read them: [units / 4 + mostColumns / 4 + 1, 4 units threads, 4 gates]. A weight of a
 * column that does not exist is 0; the bias belongs to the first lane of a unit.
 */
export function packLstm({ kernel, recurrentKernel, bias }: LstmWeights, columns: number): Float32Array {
  const { units, mostColumns } = KERNEL;
  const threads = LANES * units;
  const [held, heldColumns] = [units / LANES, mostColumns / LANES];
  const packed = new Float32Array((held + heldColumns + 1) * threads * GATES);
  let at = 0;
  /** Writes the gates of a unit, of which the first is `from`. A loop over the gates takes three times as long. */
  const put = (matrix: Float32Array, from: number): void => {
    packed[at] = matrix[from] * SCALE;
    packed[at + 1] = matrix[from + units] * SCALE;
    packed[at + 2] = matrix[from + 2 * units] * (2 * SCALE);
    packed[at + 3] = matrix[from + 3 * units] * SCALE;
    at += GATES;
  };
  for (let k = 0; k < held; k++) {
    // Each lane reads four states at once.
    const first = (k >> 2) * 4 * LANES + (k & 3);
    for (let thread = 0; thread < threads; thread++) put(recurrentKernel, (first + (thread & 3) * 4) * threads + (thread >> 2));
  }
  for (let k = 0; k < heldColumns; k++)
    for (let thread = 0; thread < threads; thread++) {
      const input = k * LANES + (thread & 3);
      if (input < columns) put(kernel, input * threads + (thread >> 2));
      else at += GATES;
    }
  for (let thread = 0; thread < threads; thread++) {
    if ((thread & 3) === 0) put(bias, thread >> 2);
    else at += GATES;
  }
  return packed;
}

/**
 * The recurrent weights in the order in which the threads of a gradient kernel read them: [units / 4, 4 units threads, 4 gates]. A lane of a unit reads
 * those gradients of gates, ordered by unit, then gate, whose unit leaves the remainder `lane`.
 */
export function packRecurrent(recurrentKernel: Float32Array): Float32Array {
  const { units } = KERNEL;
  const threads = LANES * units;
  const packed = new Float32Array(units * threads);
  let at = 0;
  for (let k = 0; k < units / LANES; k++)
    for (let thread = 0; thread < threads; thread++) {
      const row = (thread >> 2) * GATES * units + k * LANES + (thread & 3);
      for (let gate = 0; gate < GATES; gate++) packed[at++] = recurrentKernel[row + gate * units];
    }
  return packed;
}
