import { exp4 } from './gateFunctions';
import { madd } from './madd';
import { VECTOR } from './sizes';

@inline
function sumOfLanes(v: v128): f32 {
  return f32x4.extract_lane(v, 0) + f32x4.extract_lane(v, 1) + (f32x4.extract_lane(v, 2) + f32x4.extract_lane(v, 3));
}

/** a . b over `bytes` of floats */
@inline
function dot(a: usize, b: usize, bytes: usize): f32 {
  const wholeBytes = bytes & ~(VECTOR - 1);
  let lanes = f32x4.splat(0);
  let at: usize = 0;
  for (; at < wholeBytes; at += VECTOR) lanes = madd(v128.load(a + at), v128.load(b + at), lanes);
  let sum = sumOfLanes(lanes);
  for (; at < bytes; at += 4) sum += load<f32>(a + at) * load<f32>(b + at);
  return sum;
}

/** Writes the scores of all steps of one row into `scores`; returns the largest. */
@inline
function scoreSteps(states: usize, kernel: usize, scores: usize, steps: i32, units: i32): f32 {
  const hBytes = <usize>units << 2;
  let largest: f32 = -Infinity;
  for (let t = 0; t < steps; t++) {
    const score = dot(states + hBytes * <usize>t, kernel, hBytes);
    store<f32>(scores + (<usize>t << 2), score);
    // This form of the comparison does not ignore a NaN score.
    if (!(score <= largest)) largest = score;
  }
  return largest;
}

/** Converts the scores of `steps` steps to weights that are not normalized; returns their sum. Reads and writes up to 3 floats beyond. */
@inline
function expScores(scores: usize, steps: i32, largest: f32): f32 {
  const top = f32x4.splat(largest);
  for (let t = 0; t < steps; t += 4) {
    const at = scores + (<usize>t << 2);
    v128.store(at, exp4(f32x4.sub(v128.load(at), top)));
  }
  let sum: f32 = 0;
  for (let t = 0; t < steps; t++) sum += load<f32>(scores + (<usize>t << 2));
  return sum;
}

/**
 * Attention over the states of `rows` rows. Writes rows of `out` that are outStride bytes apart: the last state, then the mean of all states
 * weighted by the softmax of their products with `kernel` [units]. `scores` has space for `steps` floats, rounded up to a multiple of 4.
 */
export function pool(states: usize, kernel: usize, scores: usize, out: usize, outStride: usize, rows: i32, steps: i32, units: i32): void {
  const hBytes = <usize>units << 2;
  const wholeBytes = hBytes & ~(VECTOR - 1);
  const rowBytes = hBytes * <usize>steps;
  for (let row = 0; row < rows; row++) {
    const from = states + rowBytes * <usize>row;
    const last = out + outStride * <usize>row;
    const mean = last + hBytes;
    const sum = expScores(scores, steps, scoreSteps(from, kernel, scores, steps, units));
    memory.copy(last, from + rowBytes - hBytes, hBytes);
    // The sums of 16 units stay in registers over all steps.
    let at: usize = 0;
    for (; at + 48 < wholeBytes; at += 64) {
      let a = f32x4.splat(0), b = a, c = a, d = a;
      let h = from + at;
      for (let t = 0; t < steps; t++) {
        const weight = v128.load32_splat(scores + (<usize>t << 2));
        a = madd(weight, v128.load(h), a);
        b = madd(weight, v128.load(h, 16), b);
        c = madd(weight, v128.load(h, 32), c);
        d = madd(weight, v128.load(h, 48), d);
        h += hBytes;
      }
      const whole = f32x4.splat(sum);
      v128.store(mean + at, f32x4.div(a, whole));
      v128.store(mean + at, f32x4.div(b, whole), 16);
      v128.store(mean + at, f32x4.div(c, whole), 32);
      v128.store(mean + at, f32x4.div(d, whole), 48);
    }
    for (; at < hBytes; at += 4) {
      let value: f32 = 0;
      for (let t = 0; t < steps; t++) value += load<f32>(scores + (<usize>t << 2)) * load<f32>(from + hBytes * <usize>t + at);
      store<f32>(mean + at, value / sum);
    }
  }
}

/**
 * The gradient of `pool` for rows of `dOut` without gaps: writes that of the states to `dStates`, and adds that of `kernel` to `dKernel`. `scores`
 * and `dScores` have space for `steps` floats, rounded up to a multiple of 4.
 */
export function poolBackward(
  states: usize, kernel: usize, scores: usize, dScores: usize, dOut: usize, dStates: usize, dKernel: usize,
  rows: i32, steps: i32, units: i32,
): void {
  const hBytes = <usize>units << 2;
  const wholeBytes = hBytes & ~(VECTOR - 1);
  for (let row = 0; row < rows; row++) {
    const from = states + hBytes * <usize>(row * steps);
    const to = dStates + hBytes * <usize>(row * steps);
    const dLast = dOut + 2 * hBytes * <usize>row;
    const dMean = dLast + hBytes;
    const sum = expScores(scores, steps, scoreSteps(from, kernel, scores, steps, units));
    let mean: f32 = 0;
    for (let t = 0; t < steps; t++) {
      const at = <usize>t << 2;
      const dShare = dot(from + hBytes * <usize>t, dMean, hBytes);
      const share = load<f32>(scores + at) / sum;
      store<f32>(scores + at, share);
      store<f32>(dScores + at, dShare);
      mean += share * dShare;
    }
    for (let t = 0; t < steps; t++) {
      const share = load<f32>(scores + (<usize>t << 2));
      const dScore = share * (load<f32>(dScores + (<usize>t << 2)) - mean);
      const h = from + hBytes * <usize>t;
      const dh = to + hBytes * <usize>t;
      const shares = f32x4.splat(share);
      const d = f32x4.splat(dScore);
      let at: usize = 0;
      for (; at < wholeBytes; at += VECTOR) {
        v128.store(dh + at, madd(d, v128.load(kernel + at), f32x4.mul(shares, v128.load(dMean + at))));
        v128.store(dKernel + at, madd(d, v128.load(h + at), v128.load(dKernel + at)));
      }
      for (; at < hBytes; at += 4) {
        store<f32>(dh + at, share * load<f32>(dMean + at) + dScore * load<f32>(kernel + at));
        store<f32>(dKernel + at, load<f32>(dKernel + at) + dScore * load<f32>(h + at));
      }
    }
    const last = to + hBytes * <usize>(steps - 1);
    for (let at: usize = 0; at < hBytes; at += 4) store<f32>(last + at, load<f32>(last + at) + load<f32>(dLast + at));
  }
}
