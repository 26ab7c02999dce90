import { madd } from './madd';

@inline const LOG2_E: f32 = 1.4426950408889634;
// ln 2 in two parts, the first exact in 15 bits, so that n * LN2_HIGH has no rounding.
@inline const LN2_HIGH: f32 = 0.693359375;
@inline const LN2_LOW: f32 = -2.12194440e-4;
// 1.5 * 2^23: adding it rounds to an integer, which is then in the low bits.
@inline const ROUNDER: f32 = 12582912.0;
// Interpolates exp at the 7 Chebyshev nodes of [-ln2 / 2, ln2 / 2]; relative error 3e-9 before rounding.
@inline const P0: f32 = 1;
@inline const P1: f32 = 1.0000000377388714;
@inline const P2: f32 = 0.5000000047146077;
@inline const P3: f32 = 0.16666415414041116;
@inline const P4: f32 = 0.04166635277109226;
@inline const P5: f32 = 0.008375134774618067;
@inline const P6: f32 = 0.0013941118896249633;

/** exp(x) for |x| <= 87, clamped outside; NaN stays NaN. */
@inline
export function exp4(value: v128): v128 {
  const x = f32x4.pmax(f32x4.pmin(value, f32x4.splat(87)), f32x4.splat(-87));
  const rounded = madd(x, f32x4.splat(LOG2_E), f32x4.splat(ROUNDER));
  const n = f32x4.sub(rounded, f32x4.splat(ROUNDER));
  const r = f32x4.sub(f32x4.sub(x, f32x4.mul(n, f32x4.splat(LN2_HIGH))), f32x4.mul(n, f32x4.splat(LN2_LOW)));
  let p = madd(f32x4.splat(P6), r, f32x4.splat(P5));
  p = madd(p, r, f32x4.splat(P4));
  p = madd(p, r, f32x4.splat(P3));
  p = madd(p, r, f32x4.splat(P2));
  p = madd(p, r, f32x4.splat(P1));
  p = madd(p, r, f32x4.splat(P0));
  return i32x4.add(p, i32x4.shl(rounded, 23));
}

@inline
export function sigmoid4(value: v128): v128 {
  const one = f32x4.splat(1);
  return f32x4.div(one, f32x4.add(one, exp4(f32x4.neg(value))));
}

@inline
export function tanh4(value: v128): v128 {
  const one = f32x4.splat(1);
  const e = exp4(f32x4.mul(value, f32x4.splat(-2)));
  return f32x4.div(f32x4.sub(one, e), f32x4.add(one, e));
}

/** Sigmoid or tanh of 4 values in place, for tests. */
export function gateFunctions(values: usize, squash: bool): void {
  const x = v128.load(values);
  v128.store(values, squash ? tanh4(x) : sigmoid4(x));
}
