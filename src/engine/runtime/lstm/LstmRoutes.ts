import * as tf from '@tensorflow/tfjs-core';
import { systemClock, type Clock } from '../../../core/Clock.ts';
import { compareDurations } from '../../../core/compareDurations.ts';
import type { LstmShape, LstmCall } from './LstmProgram.ts';
import type { TensorflowBackend } from './TensorflowOps.ts';
import { type FusedLstmAttrs, fusedLSTM } from './fusedLSTM.ts';
import { compareLstm, wave } from './probeLstm.ts';

/** Timed rounds of each route; the routes alternate. */
const ROUNDS = 12;

/**
 * Chooses a route for each shape. A shape without a measurement uses the first route, and so does every call under a gradient tape. A choice
 * holds from its batch size up to the next larger measured one.
 */
export class LstmRoutes {
  readonly #routes: readonly [LstmRoute, ...LstmRoute[]];
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  #tunings: readonly LstmTuning[] = [];
  /** Overrides every choice during a measurement. */
  #forced: LstmRoute | undefined;

  constructor(routes: readonly [LstmRoute, ...LstmRoute[]], clock: Pick<Clock, 'monotonicMs'> = systemClock) {
    this.#routes = routes;
    this.#clock = clock;
  }

  routeFor(shape: LstmShape, isTaped: boolean): LstmRoute {
    if (this.#forced !== undefined) return this.#forced;
    const first = this.#routes[0];
    if (isTaped) return first;
    const known = this.#tunings.filter((tuned) => isSameLayer(tuned, shape));
    const tuning = known.findLast(({ batch }) => batch <= shape.batch) ?? known[0];
    return this.#routes.find(({ name }) => name === tuning?.chosen) ?? first;
  }

  /**
   * Times every route on one shape with `run`, which calls the kernel once and returns its values, and chooses the fastest for later calls.
   * Excludes a route that throws or whose results differ from those of the first one. Passes on an error of the first route.
   */
  measure(shape: LstmShape, run: () => Float32Array): LstmTuning {
    const runBy = (route: LstmRoute): Float32Array => {
      this.#forced = route;
      return run();
    };
    try {
      const { sound, refused } = this.#findSound(runBy);
      const sides = Object.fromEntries(sound.map((route) => [route.name, () => runBy(route)]));
      const timesMs: LstmTuning['timesMs'] = compareDurations(sides, ROUNDS, this.#clock);
      const chosen = sound.map(({ name }) => name).reduce((best, name) => (timesMs[name]! < timesMs[best]! ? name : best));
      const tuning: LstmTuning = { ...shape, chosen, timesMs, refused };
      const others = this.#tunings.filter((tuned) => tuned.batch !== shape.batch || !isSameLayer(tuned, shape));
      this.#tunings = [...others, tuning].sort((a, b) => a.batch - b.batch);
      return tuning;
    } finally {
      this.#forced = undefined;
    }
  }

  #findSound(runBy: (route: LstmRoute) => Float32Array): { sound: LstmRoute[]; refused: LstmTuning['refused'] } {
    const [first, ...others] = this.#routes;
    const expected = runBy(first).slice();
    const refused: Partial<Record<LstmRouteName, string>> = {};
    const sound = others.filter((route) => {
      try {
        compareLstm('output', runBy(route), expected, 1e-5);
        return true;
      } catch (error) {
        refused[route.name] = error instanceof Error ? error.message : String(error);
        return false;
      }
    });
    return { sound: [first, ...sound], refused };
  }
}

const isSameLayer = (a: LstmShape, b: LstmShape): boolean => a.steps === b.steps && a.columns === b.columns && a.units === b.units;

/** The four inputs of FusedLSTM as TensorFlow.js passes them to a kernel. */
export type LstmTensors = {
  readonly x: tf.TensorInfo;
  readonly kernel: tf.TensorInfo;
  readonly recurrentKernel: tf.TensorInfo;
  readonly bias: tf.TensorInfo;
};

/** `block`: one TensorFlow op on its device; `cuda`: our kernel there; `simd`: our WebAssembly module on the CPU. */
export type LstmRouteName = 'block' | 'cuda' | 'simd';

/** One way to compute the forward pass of FusedLSTM on the tensorflow backend. Throws if it cannot run on this machine. */
export type LstmRoute = {
  readonly name: LstmRouteName;
  forward(backend: TensorflowBackend, inputs: LstmTensors, attrs: FusedLstmAttrs): tf.TensorInfo;
};

/** Result of measuring one shape. */
export type LstmTuning = LstmShape & {
  readonly chosen: LstmRouteName;
  /** Lower quartile of one forward pass, from values in memory to values in memory; only for routes with correct results. */
  readonly timesMs: Readonly<Partial<Record<LstmRouteName, number>>>;
  /** Excluded routes with the reason. */
  readonly refused: Readonly<Partial<Record<LstmRouteName, string>>>;
};

export function shapeOf({ x, recurrentKernel }: LstmTensors): LstmShape {
  const [batch, steps, columns] = x.shape as [number, number, number];
  return { batch, steps, columns, units: recurrentKernel.shape[0] };
}

/**
 * An LstmCall that reads the weights on access, each time again, because a program caches the weights that it knows. This is a
 * class because the getters of an object literal are made again at each call, and only a collection of the whole heap frees them.
 */
export class TensorLstmCall implements LstmCall {
  readonly batch: number;
  readonly steps: number;
  readonly columns: number;
  readonly units: number;
  readonly x: Float32Array;
  readonly returnSequences: boolean;
  readonly weightIds: LstmCall['weightIds'];
  readonly tapeId: number;
  readonly #inputs: LstmTensors;
  readonly #read: (tensor: tf.TensorInfo) => Float32Array;

  constructor(
    inputs: LstmTensors,
    { returnSequences, tapeId }: Pick<LstmCall, 'returnSequences' | 'tapeId'>,
    read: (tensor: tf.TensorInfo) => Float32Array,
  ) {
    const { batch, steps, columns, units } = shapeOf(inputs);
    this.batch = batch;
    this.steps = steps;
    this.columns = columns;
    this.units = units;
    this.x = read(inputs.x);
    this.returnSequences = returnSequences;
    this.weightIds = [inputs.kernel.dataId, inputs.recurrentKernel.dataId, inputs.bias.dataId];
    this.tapeId = tapeId;
    this.#inputs = inputs;
    this.#read = read;
  }

  get kernel(): Float32Array {
    return this.#read(this.#inputs.kernel);
  }

  get recurrentKernel(): Float32Array {
    return this.#read(this.#inputs.recurrentKernel);
  }

  get bias(): Float32Array {
    return this.#read(this.#inputs.bias);
  }
}

/** Measures the routes on one shape with generated values. Leaves no tensors behind. */
export function tuneLstm(routes: LstmRoutes, shape: LstmShape): LstmTuning {
  const { batch, steps, columns, units } = shape;
  const scaled = (count: number, pitch: number, fanIn: number): Float32Array => wave(count, pitch).map((value) => value / Math.sqrt(fanIn));
  const values = wave(batch * steps * columns, 0.3);
  const kernel = tf.tensor(scaled(columns * 4 * units, 1.3, columns), [columns, 4 * units]);
  const recurrentKernel = tf.tensor(scaled(units * 4 * units, 2.1, units), [units, 4 * units]);
  const bias = tf.tensor(wave(4 * units, 0.4), [4 * units]);
  // From values to values, because copies to and from a device are part of the cost.
  const run = (): Float32Array => {
    const x = tf.tensor(values, [batch, steps, columns]);
    let y: tf.Tensor | undefined;
    try {
      y = fusedLSTM(x, kernel, recurrentKernel, bias, true);
      return y.dataSync<'float32'>();
    } finally {
      x.dispose();
      y?.dispose();
    }
  };
  try {
    return routes.measure(shape, run);
  } finally {
    tf.dispose([kernel, recurrentKernel, bias]);
  }
}
