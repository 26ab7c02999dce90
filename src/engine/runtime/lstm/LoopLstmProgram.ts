import type { LstmCall, LstmGradients, LstmProgram } from './LstmProgram.ts';

/** Values of one row of the batch that its gradient needs; step t+1 of `h` and `c` is the state after step t. */
class RowTrace {
  readonly gates: Float32Array;
  readonly c: Float32Array;
  readonly h: Float32Array;

  constructor(steps: number, units: number) {
    this.gates = new Float32Array(steps * 4 * units);
    this.c = new Float32Array((steps + 1) * units);
    this.h = new Float32Array((steps + 1) * units);
  }
}

const sigmoid = (value: number): number => 1 / (1 + Math.exp(-value));

/** sums[j] += scale * weights[row, j] */
function addRow(sums: Float64Array, scale: number, weights: Float32Array, row: number): void {
  const width = sums.length;
  const start = row * width;
  for (let j = 0; j < width; j++) sums[j] += scale * weights[start + j];
}

/** sum over j of weights[row, j] * values[j] */
function dotRow(values: Float64Array, weights: Float32Array, row: number): number {
  const width = values.length;
  const start = row * width;
  let sum = 0;
  for (let j = 0; j < width; j++) sum += weights[start + j] * values[j];
  return sum;
}

function runRow(call: LstmCall, row: number, trace: RowTrace): void {
  const { steps, columns, units } = call;
  const { gates, c, h } = trace;
  const sums = new Float64Array(4 * units);
  for (let t = 0; t < steps; t++) {
    sums.set(call.bias);
    for (let k = 0; k < columns; k++) addRow(sums, call.x[(row * steps + t) * columns + k], call.kernel, k);
    for (let k = 0; k < units; k++) addRow(sums, h[t * units + k], call.recurrentKernel, k);
    const at = t * 4 * units;
    for (let u = 0; u < units; u++) {
      const i = sigmoid(sums[u]);
      const f = sigmoid(sums[units + u]);
      const g = Math.tanh(sums[2 * units + u]);
      const o = sigmoid(sums[3 * units + u]);
      const state = f * c[t * units + u] + i * g;
      c[(t + 1) * units + u] = state;
      h[(t + 1) * units + u] = o * Math.tanh(state);
      gates[at + u] = i;
      gates[at + units + u] = f;
      gates[at + 2 * units + u] = g;
      gates[at + 3 * units + u] = o;
    }
  }
}

/** Gradient sums over the batch, in double precision. */
class GradientSums {
  readonly x: Float32Array;
  readonly kernel: Float64Array;
  readonly recurrentKernel: Float64Array;
  readonly bias: Float64Array;

  constructor(call: LstmCall) {
    this.x = new Float32Array(call.x.length);
    this.kernel = new Float64Array(call.kernel.length);
    this.recurrentKernel = new Float64Array(call.recurrentKernel.length);
    this.bias = new Float64Array(call.bias.length);
  }
}

function addOuterRow(sums: Float64Array, row: number, scale: number, values: Float64Array): void {
  const width = values.length;
  const start = row * width;
  for (let j = 0; j < width; j++) sums[start + j] += scale * values[j];
}

/** Backpropagates one row through time; `dGates` is the gradient before the gate functions. */
function runRowBackward(call: LstmCall, row: number, dy: Float32Array, trace: RowTrace, sums: GradientSums): void {
  const { steps, columns, units } = call;
  const { gates, c, h } = trace;
  const dGates = new Float64Array(4 * units);
  const dh = new Float64Array(units);
  const dc = new Float64Array(units);
  for (let t = steps - 1; t >= 0; t--) {
    const given = call.returnSequences ? (row * steps + t) * units : t === steps - 1 ? row * units : -1;
    const at = t * 4 * units;
    for (let u = 0; u < units; u++) {
      const i = gates[at + u];
      const f = gates[at + units + u];
      const g = gates[at + 2 * units + u];
      const o = gates[at + 3 * units + u];
      const squashed = Math.tanh(c[(t + 1) * units + u]);
      const dOut = dh[u] + (given >= 0 ? dy[given + u] : 0);
      const dState = dc[u] + dOut * o * (1 - squashed * squashed);
      dGates[u] = dState * g * i * (1 - i);
      dGates[units + u] = dState * c[t * units + u] * f * (1 - f);
      dGates[2 * units + u] = dState * i * (1 - g * g);
      dGates[3 * units + u] = dOut * squashed * o * (1 - o);
      dc[u] = dState * f;
    }
    addOuterRow(sums.bias, 0, 1, dGates);
    for (let k = 0; k < columns; k++) {
      const index = (row * steps + t) * columns + k;
      sums.x[index] = dotRow(dGates, call.kernel, k);
      addOuterRow(sums.kernel, k, call.x[index], dGates);
    }
    for (let k = 0; k < units; k++) {
      dh[k] = dotRow(dGates, call.recurrentKernel, k);
      addOuterRow(sums.recurrentKernel, k, h[t * units + k], dGates);
    }
  }
}

/** Reference implementation as a plain loop: sums in double precision, states stored as float32. All other programs are compared with it. */
export class LoopLstmProgram implements LstmProgram {
  forward(call: LstmCall): Float32Array {
    const { batch, steps, units } = call;
    const rowLength = (call.returnSequences ? steps : 1) * units;
    const y = new Float32Array(batch * rowLength);
    const trace = new RowTrace(steps, units);
    for (let row = 0; row < batch; row++) {
      runRow(call, row, trace);
      y.set(trace.h.subarray((steps + 1) * units - rowLength), row * rowLength);
    }
    return y;
  }

  backward(call: LstmCall, dy: Float32Array): LstmGradients {
    const sums = new GradientSums(call);
    const trace = new RowTrace(call.steps, call.units);
    for (let row = 0; row < call.batch; row++) {
      runRow(call, row, trace);
      runRowBackward(call, row, dy, trace, sums);
    }
    return {
      x: sums.x,
      kernel: Float32Array.from(sums.kernel),
      recurrentKernel: Float32Array.from(sums.recurrentKernel),
      bias: Float32Array.from(sums.bias),
    };
  }
}
