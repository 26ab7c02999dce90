import { TILE } from './sizes';

/** dz[row] = dGates[row] times the transposed weights, 16 columns at a time, two rows at a time. */
export function inputGradients(dGates: usize, transposed: usize, dz: usize, rows: i32, width: i32, dzStride: usize): void {
  const gatesStride = <usize>width << 2;
  const tileWeights = <usize>width << 6;
  for (let column: usize = 0; column < dzStride; column += TILE) {
    for (let row = 0; row < rows; row += 2) {
      const second = row + 1 < rows;
      let g0 = dGates + gatesStride * <usize>row;
      let g1 = second ? g0 + gatesStride : g0;
      let a0 = f32x4.splat(0), a1 = a0, a2 = a0, a3 = a0, b0 = a0, b1 = a0, b2 = a0, b3 = a0;
      let w = transposed;
      const end = transposed + tileWeights;
      for (; w < end; w += TILE) {
        const w0 = v128.load(w), w1 = v128.load(w, 16), w2 = v128.load(w, 32), w3 = v128.load(w, 48);
        const a = v128.load32_splat(g0);
        const b = v128.load32_splat(g1);
        a0 = f32x4.add(a0, f32x4.mul(a, w0));
        a1 = f32x4.add(a1, f32x4.mul(a, w1));
        a2 = f32x4.add(a2, f32x4.mul(a, w2));
        a3 = f32x4.add(a3, f32x4.mul(a, w3));
        b0 = f32x4.add(b0, f32x4.mul(b, w0));
        b1 = f32x4.add(b1, f32x4.mul(b, w1));
        b2 = f32x4.add(b2, f32x4.mul(b, w2));
        b3 = f32x4.add(b3, f32x4.mul(b, w3));
        g0 += 4;
        g1 += 4;
      }
      let to = dz + dzStride * <usize>row + column;
      v128.store(to, a0);
      v128.store(to, a1, 16);
      v128.store(to, a2, 32);
      v128.store(to, a3, 48);
      if (second) {
        to += dzStride;
        v128.store(to, b0);
        v128.store(to, b1, 16);
        v128.store(to, b2, 32);
        v128.store(to, b3, 48);
      }
    }
    transposed += tileWeights;
  }
}

/** dWeights[k] += sum over rows of z[row, k] * dGates[row]; two k at a time, 16 columns at a time. Also the bias. */
export function weightGradients(
  z: usize, zStride: usize, dGates: usize, gatesStride: usize, count: i32, depth: i32, dWeights: usize, dBias: usize,
): void {
  const end = z + zStride * <usize>count;
  for (let column: usize = 0; column < gatesStride; column += TILE) {
    for (let k = 0; k < depth; k += 2) {
      const to = dWeights + gatesStride * <usize>k + column;
      const next = to + gatesStride;
      let a0 = v128.load(to), a1 = v128.load(to, 16), a2 = v128.load(to, 32), a3 = v128.load(to, 48);
      let b0 = v128.load(next), b1 = v128.load(next, 16), b2 = v128.load(next, 32), b3 = v128.load(next, 48);
      let g = dGates + column;
      const at = <usize>k << 2;
      for (let row = z; row < end; row += zStride) {
        const g0 = v128.load(g), g1 = v128.load(g, 16), g2 = v128.load(g, 32), g3 = v128.load(g, 48);
        const a = v128.load32_splat(row + at);
        const b = v128.load32_splat(row + at, 4);
        a0 = f32x4.add(a0, f32x4.mul(a, g0));
        a1 = f32x4.add(a1, f32x4.mul(a, g1));
        a2 = f32x4.add(a2, f32x4.mul(a, g2));
        a3 = f32x4.add(a3, f32x4.mul(a, g3));
        b0 = f32x4.add(b0, f32x4.mul(b, g0));
        b1 = f32x4.add(b1, f32x4.mul(b, g1));
        b2 = f32x4.add(b2, f32x4.mul(b, g2));
        b3 = f32x4.add(b3, f32x4.mul(b, g3));
        g += gatesStride;
      }
      v128.store(to, a0);
      v128.store(to, a1, 16);
      v128.store(to, a2, 32);
      v128.store(to, a3, 48);
      v128.store(next, b0);
      v128.store(next, b1, 16);
      v128.store(next, b2, 32);
      v128.store(next, b3, 48);
    }
    const to = dBias + column;
    let a0 = v128.load(to), a1 = v128.load(to, 16), a2 = v128.load(to, 32), a3 = v128.load(to, 48);
    let g = dGates + column;
    for (let row = 0; row < count; row++) {
      a0 = f32x4.add(a0, v128.load(g));
      a1 = f32x4.add(a1, v128.load(g, 16));
      a2 = f32x4.add(a2, v128.load(g, 32));
      a3 = f32x4.add(a3, v128.load(g, 48));
      g += gatesStride;
    }
    v128.store(to, a0);
    v128.store(to, a1, 16);
    v128.store(to, a2, 32);
    v128.store(to, a3, 48);
  }
}
