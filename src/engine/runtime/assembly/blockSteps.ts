import { sigmoid4, tanh4 } from './gateFunctions';
import { madd } from './madd';
import { TILE, VECTOR } from './sizes';

/** Computes gate functions and state of one block of one row; stores the gates unless `gates` is 0. */
@inline
function finish(si: v128, sf: v128, sg: v128, so: v128, c: usize, cNext: usize, h: usize, gates: usize): void {
  const i = sigmoid4(si);
  const f = sigmoid4(sf);
  const g = tanh4(sg);
  const o = sigmoid4(so);
  const state = madd(i, g, f32x4.mul(f, v128.load(c)));
  v128.store(cNext, state);
  v128.store(h, f32x4.mul(o, tanh4(state)));
  if (gates) {
    v128.store(gates, i);
    v128.store(gates, f, 16);
    v128.store(gates, g, 32);
    v128.store(gates, o, 48);
  }
}

/** Two rows, one block. */
export function pairStep(
  z: usize, zStride: usize, depth: i32, w: usize, bias: usize,
  c: usize, cNext: usize, cStride: usize, h: usize, gates: usize, gatesStride: usize,
): void {
  let i0 = v128.load(bias), f0 = v128.load(bias, 16), g0 = v128.load(bias, 32), o0 = v128.load(bias, 48);
  let i1 = i0, f1 = f0, g1 = g0, o1 = o0;
  let z1 = z + zStride;
  const end = z + (<usize>depth << 2);
  for (let z0 = z; z0 < end; z0 += 4) {
    const wi = v128.load(w), wf = v128.load(w, 16), wg = v128.load(w, 32), wo = v128.load(w, 48);
    const a = v128.load32_splat(z0);
    const b = v128.load32_splat(z1);
    i0 = madd(a, wi, i0);
    f0 = madd(a, wf, f0);
    g0 = madd(a, wg, g0);
    o0 = madd(a, wo, o0);
    i1 = madd(b, wi, i1);
    f1 = madd(b, wf, f1);
    g1 = madd(b, wg, g1);
    o1 = madd(b, wo, o1);
    z1 += 4;
    w += TILE;
  }
  finish(i0, f0, g0, o0, c, cNext, h, gates);
  finish(i1, f1, g1, o1, c + cStride, cNext + cStride, h + zStride, gates ? gates + gatesStride : 0);
}

/** One row, two blocks side by side. */
export function wideStep(z: usize, depth: i32, w: usize, bias: usize, c: usize, cNext: usize, h: usize, gates: usize): void {
  let i0 = v128.load(bias), f0 = v128.load(bias, 16), g0 = v128.load(bias, 32), o0 = v128.load(bias, 48);
  let i1 = v128.load(bias, 64), f1 = v128.load(bias, 80), g1 = v128.load(bias, 96), o1 = v128.load(bias, 112);
  let w1 = w + (<usize>depth << 6);
  const end = z + (<usize>depth << 2);
  for (let z0 = z; z0 < end; z0 += 4) {
    const a = v128.load32_splat(z0);
    i0 = madd(a, v128.load(w), i0);
    f0 = madd(a, v128.load(w, 16), f0);
    g0 = madd(a, v128.load(w, 32), g0);
    o0 = madd(a, v128.load(w, 48), o0);
    i1 = madd(a, v128.load(w1), i1);
    f1 = madd(a, v128.load(w1, 16), f1);
    g1 = madd(a, v128.load(w1, 32), g1);
    o1 = madd(a, v128.load(w1, 48), o1);
    w += TILE;
    w1 += TILE;
  }
  finish(i0, f0, g0, o0, c, cNext, h, gates);
  finish(i1, f1, g1, o1, c + VECTOR, cNext + VECTOR, h + VECTOR, gates ? gates + TILE : 0);
}

/** One row, one block. */
export function narrowStep(z: usize, depth: i32, w: usize, bias: usize, c: usize, cNext: usize, h: usize, gates: usize): void {
  let i0 = v128.load(bias), f0 = v128.load(bias, 16), g0 = v128.load(bias, 32), o0 = v128.load(bias, 48);
  const end = z + (<usize>depth << 2);
  for (let z0 = z; z0 < end; z0 += 4) {
    const a = v128.load32_splat(z0);
    i0 = madd(a, v128.load(w), i0);
    f0 = madd(a, v128.load(w, 16), f0);
    g0 = madd(a, v128.load(w, 32), g0);
    o0 = madd(a, v128.load(w, 48), o0);
    w += TILE;
  }
  finish(i0, f0, g0, o0, c, cNext, h, gates);
}
