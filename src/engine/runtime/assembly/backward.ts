import { tanh4 } from './gateFunctions';
import { inputGradients, weightGradients } from './gradientProducts';
import { TILE, VECTOR } from './sizes';

/** Replaces the gates of one block of one row by the gradients before the gate functions. */
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

/**
 * Runs all steps backwards, after `forward` with keep. dWeights has [depth, rounded up to even][block, gate, lane]; it, dBias,
 * dz, dh and dc must contain zeros. dzStride is a multiple of 64 bytes with space for depth floats. Weight gradients are
 * accumulated in groups of steps of about 64 rows, which stay in the cache.
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
