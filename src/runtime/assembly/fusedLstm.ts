// AssemblyScript, compiled by scripts/buildWasm.ts. The LSTM of FusedLSTM in 128-bit SIMD, float32 throughout.
//
// A step reads one row z = [x, h] per batch row, so that kernel and recurrent kernel are one matrix of
// depth = columns + units rows. Units are padded to blocks of 4 lanes; padded units have zero weights and stay 0.
//   weights    [block][depth][gate][lane]     16 floats for each block and row of the matrix
//   bias       [block][gate][lane]
//   z          [step][row][zStride]           x at 0, h at `columns`, zeros after
//   c          [step][row][4 * blocks]
//   gates      [step][row][block][gate][lane] after the gate functions; the backward pass overwrites them by its gradients
//   transposed [depth / 16][block, gate, lane][16]
// Every sum runs in the same order whatever the number of rows: a batch gives the bits of its rows run alone.
// Offsets and strides are bytes, sizes are counts.

@inline const VECTOR: usize = 16;
@inline const TILE: usize = 64;
@inline const LOG2_E: f32 = 1.4426950408889634;
// ln 2 in two parts, the first exact in 15 bits, so that n * LN2_HIGH has no rounding.
@inline const LN2_HIGH: f32 = 0.693359375;
@inline const LN2_LOW: f32 = -2.12194440e-4;
// 1.5 * 2^23: adding it rounds to an integer, which then stands in the low bits.
@inline const ROUNDER: f32 = 12582912.0;
// Interpolates exp at the 7 Chebyshev nodes of [-ln2 / 2, ln2 / 2]; relative error 3e-9 before rounding.
@inline const P0: f32 = 1;
@inline const P1: f32 = 1.0000000377388714;
@inline const P2: f32 = 0.5000000047146077;
@inline const P3: f32 = 0.16666415414041116;
@inline const P4: f32 = 0.04166635277109226;
@inline const P5: f32 = 0.008375134774618067;
@inline const P6: f32 = 0.0013941118896249633;

/** exp(x) for |x| <= 87, clamped outside; not-a-number stays one. */
@inline
function exp4(value: v128): v128 {
  const x = f32x4.pmax(f32x4.pmin(value, f32x4.splat(87)), f32x4.splat(-87));
  const rounded = f32x4.add(f32x4.mul(x, f32x4.splat(LOG2_E)), f32x4.splat(ROUNDER));
  const n = f32x4.sub(rounded, f32x4.splat(ROUNDER));
  const r = f32x4.sub(f32x4.sub(x, f32x4.mul(n, f32x4.splat(LN2_HIGH))), f32x4.mul(n, f32x4.splat(LN2_LOW)));
  let p = f32x4.add(f32x4.mul(f32x4.splat(P6), r), f32x4.splat(P5));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(P4));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(P3));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(P2));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(P1));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(P0));
  return i32x4.add(p, i32x4.shl(rounded, 23));
}

@inline
function sigmoid4(value: v128): v128 {
  const one = f32x4.splat(1);
  return f32x4.div(one, f32x4.add(one, exp4(f32x4.neg(value))));
}

@inline
function tanh4(value: v128): v128 {
  const one = f32x4.splat(1);
  const e = exp4(f32x4.mul(value, f32x4.splat(-2)));
  return f32x4.div(f32x4.sub(one, e), f32x4.add(one, e));
}

/** Gate functions and state of one block of one row; keeps the gates unless `gates` is 0. */
@inline
function finish(si: v128, sf: v128, sg: v128, so: v128, c: usize, cNext: usize, h: usize, gates: usize): void {
  const i = sigmoid4(si);
  const f = sigmoid4(sf);
  const g = tanh4(sg);
  const o = sigmoid4(so);
  const state = f32x4.add(f32x4.mul(f, v128.load(c)), f32x4.mul(i, g));
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
function pairStep(
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
    i0 = f32x4.add(i0, f32x4.mul(a, wi));
    f0 = f32x4.add(f0, f32x4.mul(a, wf));
    g0 = f32x4.add(g0, f32x4.mul(a, wg));
    o0 = f32x4.add(o0, f32x4.mul(a, wo));
    i1 = f32x4.add(i1, f32x4.mul(b, wi));
    f1 = f32x4.add(f1, f32x4.mul(b, wf));
    g1 = f32x4.add(g1, f32x4.mul(b, wg));
    o1 = f32x4.add(o1, f32x4.mul(b, wo));
    z1 += 4;
    w += TILE;
  }
  finish(i0, f0, g0, o0, c, cNext, h, gates);
  finish(i1, f1, g1, o1, c + cStride, cNext + cStride, h + zStride, gates ? gates + gatesStride : 0);
}

/** One row, two blocks side by side. */
function wideStep(z: usize, depth: i32, w: usize, bias: usize, c: usize, cNext: usize, h: usize, gates: usize): void {
  let i0 = v128.load(bias), f0 = v128.load(bias, 16), g0 = v128.load(bias, 32), o0 = v128.load(bias, 48);
  let i1 = v128.load(bias, 64), f1 = v128.load(bias, 80), g1 = v128.load(bias, 96), o1 = v128.load(bias, 112);
  let w1 = w + (<usize>depth << 6);
  const end = z + (<usize>depth << 2);
  for (let z0 = z; z0 < end; z0 += 4) {
    const a = v128.load32_splat(z0);
    i0 = f32x4.add(i0, f32x4.mul(a, v128.load(w)));
    f0 = f32x4.add(f0, f32x4.mul(a, v128.load(w, 16)));
    g0 = f32x4.add(g0, f32x4.mul(a, v128.load(w, 32)));
    o0 = f32x4.add(o0, f32x4.mul(a, v128.load(w, 48)));
    i1 = f32x4.add(i1, f32x4.mul(a, v128.load(w1)));
    f1 = f32x4.add(f1, f32x4.mul(a, v128.load(w1, 16)));
    g1 = f32x4.add(g1, f32x4.mul(a, v128.load(w1, 32)));
    o1 = f32x4.add(o1, f32x4.mul(a, v128.load(w1, 48)));
    w += TILE;
    w1 += TILE;
  }
  finish(i0, f0, g0, o0, c, cNext, h, gates);
  finish(i1, f1, g1, o1, c + VECTOR, cNext + VECTOR, h + VECTOR, gates ? gates + TILE : 0);
}

/** One row, one block. */
function narrowStep(z: usize, depth: i32, w: usize, bias: usize, c: usize, cNext: usize, h: usize, gates: usize): void {
  let i0 = v128.load(bias), f0 = v128.load(bias, 16), g0 = v128.load(bias, 32), o0 = v128.load(bias, 48);
  const end = z + (<usize>depth << 2);
  for (let z0 = z; z0 < end; z0 += 4) {
    const a = v128.load32_splat(z0);
    i0 = f32x4.add(i0, f32x4.mul(a, v128.load(w)));
    f0 = f32x4.add(f0, f32x4.mul(a, v128.load(w, 16)));
    g0 = f32x4.add(g0, f32x4.mul(a, v128.load(w, 32)));
    o0 = f32x4.add(o0, f32x4.mul(a, v128.load(w, 48)));
    w += TILE;
  }
  finish(i0, f0, g0, o0, c, cNext, h, gates);
}

/** Lays the raw weights out in blocks. `weights` and `packedBias` must hold zeros. */
export function pack(
  kernel: usize, recurrent: usize, bias: usize, weights: usize, packedBias: usize, columns: i32, units: i32,
): void {
  const depth = columns + units;
  for (let gate = 0; gate < 4; gate++) {
    for (let u = 0; u < units; u++) {
      const block = u >> 2;
      const place = (gate << 2) + (u & 3);
      const from = <usize>(gate * units + u) << 2;
      store<f32>(packedBias + (<usize>(block * 16 + place) << 2), load<f32>(bias + from));
      let to = weights + (<usize>(block * depth * 16 + place) << 2);
      for (let k = 0; k < depth; k++) {
        const row = k < columns ? kernel + (<usize>(k * 4 * units) << 2) : recurrent + (<usize>((k - columns) * 4 * units) << 2);
        store<f32>(to, load<f32>(row + from));
        to += TILE;
      }
    }
  }
}

/** Lays packed weights out for products from the right. `transposed` must hold zeros. */
export function transpose(weights: usize, transposed: usize, depth: i32, blocks: i32): void {
  const width = blocks * 16;
  for (let block = 0; block < blocks; block++) {
    for (let k = 0; k < depth; k++) {
      const from = weights + (<usize>((block * depth + k) * 16) << 2);
      const to = transposed + (<usize>(((k >> 4) * width + block * 16) * 16 + (k & 15)) << 2);
      for (let lane = 0; lane < 16; lane++) {
        store<f32>(to + (<usize>lane << 6), load<f32>(from + (<usize>lane << 2)));
      }
    }
  }
}

/**
 * All steps of `rows` rows from a zero state. With keep, z and c have steps + 1 layers and gates has steps; without,
 * z has 2 layers, c one and gates is not used. z must hold zeros, c's first layer too.
 */
export function forward(
  x: usize, y: usize, z: usize, c: usize, gates: usize, weights: usize, bias: usize,
  rows: i32, steps: i32, columns: i32, units: i32, blocks: i32, zStride: usize, keep: bool, sequences: bool,
): void {
  const depth = columns + units;
  const cStride = <usize>blocks * VECTOR;
  const gatesStride = <usize>blocks * TILE;
  const zLayer = <usize>rows * zStride;
  const cLayer = keep ? <usize>rows * cStride : 0;
  const blockWeights = <usize>depth * TILE;
  const hAt = <usize>columns << 2;
  const xBytes = <usize>columns << 2;
  const hBytes = <usize>units << 2;
  for (let t = 0; t < steps; t++) {
    const zNow = z + zLayer * <usize>(keep ? t : t & 1);
    const zNext = z + zLayer * <usize>(keep ? t + 1 : (t + 1) & 1);
    const cNow = c + cLayer * <usize>t;
    const cNext = cNow + cLayer;
    const gatesNow = gates + gatesStride * <usize>(rows * t);
    for (let row = 0; row < rows; row++) {
      const from = x + xBytes * <usize>(row * steps + t);
      const to = zNow + zStride * <usize>row;
      for (let at: usize = 0; at < xBytes; at += 4) store<f32>(to + at, load<f32>(from + at));
    }
    let row = 0;
    for (; row + 1 < rows; row += 2) {
      const zRow = zNow + zStride * <usize>row;
      const hRow = zNext + zStride * <usize>row + hAt;
      const cAt = cStride * <usize>row;
      const gatesRow = keep ? gatesNow + gatesStride * <usize>row : 0;
      for (let block: usize = 0; block < <usize>blocks; block++) {
        const lanes = block * VECTOR;
        pairStep(
          zRow, zStride, depth, weights + block * blockWeights, bias + block * TILE,
          cNow + cAt + lanes, cNext + cAt + lanes, cStride, hRow + lanes, keep ? gatesRow + block * TILE : 0, gatesStride,
        );
      }
    }
    if (row < rows) {
      const zRow = zNow + zStride * <usize>row;
      const hRow = zNext + zStride * <usize>row + hAt;
      const cAt = cStride * <usize>row;
      const gatesRow = keep ? gatesNow + gatesStride * <usize>row : 0;
      let block: usize = 0;
      for (; block + 1 < <usize>blocks; block += 2) {
        const lanes = block * VECTOR;
        wideStep(
          zRow, depth, weights + block * blockWeights, bias + block * TILE,
          cNow + cAt + lanes, cNext + cAt + lanes, hRow + lanes, keep ? gatesRow + block * TILE : 0,
        );
      }
      if (block < <usize>blocks) {
        const lanes = block * VECTOR;
        narrowStep(
          zRow, depth, weights + block * blockWeights, bias + block * TILE,
          cNow + cAt + lanes, cNext + cAt + lanes, hRow + lanes, keep ? gatesRow + block * TILE : 0,
        );
      }
    }
    if (sequences || t + 1 === steps) {
      for (let row = 0; row < rows; row++) {
        const from = zNext + zStride * <usize>row + hAt;
        const to = y + hBytes * <usize>(sequences ? row * steps + t : row);
        for (let at: usize = 0; at < hBytes; at += 4) store<f32>(to + at, load<f32>(from + at));
      }
    }
  }
}

/** Gradients before the gate functions, over the gates of one block of one row. */
@inline
function blockBackward(dh: usize, dc: usize, c: usize, cNext: usize, gates: usize): void {
  const one = f32x4.splat(1);
  const i = v128.load(gates);
  const f = v128.load(gates, 16);
  const g = v128.load(gates, 32);
  const o = v128.load(gates, 48);
  const squashed = tanh4(v128.load(cNext));
  const dOut = v128.load(dh);
  const dState = f32x4.add(v128.load(dc), f32x4.mul(f32x4.mul(dOut, o), f32x4.sub(one, f32x4.mul(squashed, squashed))));
  v128.store(gates, f32x4.mul(f32x4.mul(dState, g), f32x4.mul(i, f32x4.sub(one, i))));
  v128.store(gates, f32x4.mul(f32x4.mul(dState, v128.load(c)), f32x4.mul(f, f32x4.sub(one, f))), 16);
  v128.store(gates, f32x4.mul(f32x4.mul(dState, i), f32x4.sub(one, f32x4.mul(g, g))), 32);
  v128.store(gates, f32x4.mul(f32x4.mul(dOut, squashed), f32x4.mul(o, f32x4.sub(one, o))), 48);
  v128.store(dc, f32x4.mul(dState, f));
}

/** dz[row] = dGates[row] times the transposed weights, 16 columns at a time, two rows at a time. */
function inputGradients(dGates: usize, transposed: usize, dz: usize, rows: i32, width: i32, dzStride: usize): void {
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
function weightGradients(
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

/**
 * All steps backwards, after `forward` with keep. dWeights has [depth, rounded up to even][block, gate, lane]; it, dBias,
 * dz, dh and dc must hold zeros. dzStride is a multiple of 64 that holds depth floats. Gradients of the weights are
 * added up in groups of steps of about 64 rows, which stay in the cache.
 */
export function backward(
  dy: usize, dx: usize, z: usize, c: usize, gates: usize, transposed: usize,
  dz: usize, dh: usize, dc: usize, dWeights: usize, dBias: usize,
  rows: i32, steps: i32, columns: i32, units: i32, blocks: i32, zStride: usize, dzStride: usize, sequences: bool,
): void {
  const depth = columns + units;
  const width = blocks * 16;
  const cStride = <usize>blocks * VECTOR;
  const gatesStride = <usize>blocks * TILE;
  const zLayer = <usize>rows * zStride;
  const cLayer = <usize>rows * cStride;
  const gatesLayer = <usize>rows * gatesStride;
  const hAt = <usize>columns << 2;
  const xBytes = <usize>columns << 2;
  const hBytes = <usize>units << 2;
  let group = 0;
  const groupSteps = max(1, (64 + rows - 1) / rows);
  for (let t = steps - 1; t >= 0; t--) {
    const cNow = c + cLayer * <usize>t;
    const gatesNow = gates + gatesLayer * <usize>t;
    const given = sequences || t + 1 === steps;
    for (let row = 0; row < rows; row++) {
      const dhRow = dh + cStride * <usize>row;
      const carried = dz + dzStride * <usize>row + hAt;
      const dyRow = dy + hBytes * <usize>(sequences ? row * steps + t : row);
      if (given) {
        for (let at: usize = 0; at < hBytes; at += 4) store<f32>(dhRow + at, load<f32>(carried + at) + load<f32>(dyRow + at));
      } else {
        for (let at: usize = 0; at < hBytes; at += 4) store<f32>(dhRow + at, load<f32>(carried + at));
      }
      const cRow = cNow + cStride * <usize>row;
      const dcRow = dc + cStride * <usize>row;
      const gatesRow = gatesNow + gatesStride * <usize>row;
      for (let block: usize = 0; block < <usize>blocks; block++) {
        const lanes = block * VECTOR;
        blockBackward(dhRow + lanes, dcRow + lanes, cRow + lanes, cRow + cLayer + lanes, gatesRow + block * TILE);
      }
    }
    inputGradients(gatesNow, transposed, dz, rows, width, dzStride);
    for (let row = 0; row < rows; row++) {
      const from = dz + dzStride * <usize>row;
      const to = dx + xBytes * <usize>(row * steps + t);
      for (let at: usize = 0; at < xBytes; at += 4) store<f32>(to + at, load<f32>(from + at));
    }
    group++;
    if (group === groupSteps || t === 0) {
      weightGradients(z + zLayer * <usize>t, zStride, gatesNow, gatesStride, group * rows, depth, dWeights, dBias);
      group = 0;
    }
  }
}

/** From the layout of the backward pass to that of the weights. */
export function unpack(
  dWeights: usize, dBias: usize, kernel: usize, recurrent: usize, bias: usize, columns: i32, units: i32, blocks: i32,
): void {
  const depth = columns + units;
  const width = blocks * 16;
  for (let k = 0; k <= depth; k++) {
    const from = k === depth ? dBias : dWeights + (<usize>(k * width) << 2);
    let to = k === depth ? bias : k < columns ? kernel + (<usize>(k * 4 * units) << 2) : recurrent + (<usize>((k - columns) * 4 * units) << 2);
    for (let gate = 0; gate < 4; gate++) {
      for (let u = 0; u < units; u++) {
        store<f32>(to, load<f32>(from + (<usize>((u >> 2) * 16 + (gate << 2) + (u & 3)) << 2)));
        to += 4;
      }
    }
  }
}

/** The gate functions by themselves, for tests: 4 values in place, sigmoid or tanh. */
export function gateFunctions(values: usize, squash: bool): void {
  const x = v128.load(values);
  v128.store(values, squash ? tanh4(x) : sigmoid4(x));
}
