import { madd } from './madd';
import { VECTOR } from './sizes';

/** NaN stays NaN, as in TensorFlow. */
@inline
function relu4(v: v128): v128 {
  return v128.andnot(v, f32x4.le(v, f32x4.splat(0)));
}

/** out [rows, units] = relu(x [rows, depth] * kernel [depth, units] + bias [units]); rows of x are xStride bytes apart. */
export function denseRelu(x: usize, xStride: usize, kernel: usize, bias: usize, out: usize, rows: i32, depth: i32, units: i32): void {
  const width = <usize>units << 2;
  const wholeWidth = width & ~(VECTOR - 1);
  for (let row = 0; row < rows; row++) {
    const from = x + xStride * <usize>row;
    const end = from + (<usize>depth << 2);
    const to = out + width * <usize>row;
    // The sums of 16 units stay in registers over the whole depth.
    let at: usize = 0;
    for (; at + 48 < wholeWidth; at += 64) {
      let a = v128.load(bias + at), b = v128.load(bias + at, 16), c = v128.load(bias + at, 32), d = v128.load(bias + at, 48);
      let k = kernel + at;
      for (let z = from; z < end; z += 4) {
        const value = v128.load32_splat(z);
        a = madd(value, v128.load(k), a);
        b = madd(value, v128.load(k, 16), b);
        c = madd(value, v128.load(k, 32), c);
        d = madd(value, v128.load(k, 48), d);
        k += width;
      }
      v128.store(to + at, relu4(a));
      v128.store(to + at, relu4(b), 16);
      v128.store(to + at, relu4(c), 32);
      v128.store(to + at, relu4(d), 48);
    }
    for (; at < width; at += 4) {
      let sum = load<f32>(bias + at);
      let k = kernel + at;
      for (let z = from; z < end; z += 4) {
        sum += load<f32>(z) * load<f32>(k);
        k += width;
      }
      store<f32>(to + at, sum <= 0 ? 0 : sum);
    }
  }
}
