import { exp4 } from './gateFunctions';
import { madd } from './madd';
import { VECTOR } from './sizes';

@inline
function sumOfLanes(v: v128): f32 {
  return f32x4.extract_lane(v, 0) + f32x4.extract_lane(v, 1) + (f32x4.extract_lane(v, 2) + f32x4.extract_lane(v, 3));
}

/** Writes the scores of all steps of one row into `scores`; returns the largest. */
@inline
function scoreSteps(states: usize, kernel: usize, scores: usize, steps: i32, units: i32): f32 {
  const hBytes = <usize>units << 2;
  const wholeBytes = hBytes & ~(VECTOR - 1);
  let largest: f32 = -Infinity;
  for (let t = 0; t < steps; t++) {
    const h = states + hBytes * <usize>t;
    let lanes = f32x4.splat(0);
    let at: usize = 0;
    for (; at < wholeBytes; at += VECTOR) lanes = madd(v128.load(h + at), v128.load(kernel + at), lanes);
    let score = sumOfLanes(lanes);
    for (; at < hBytes; at += 4) score += load<f32>(h + at) * load<f32>(kernel + at);
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
