import { narrowStep, pairStep, wideStep } from './blockSteps';
import { TILE, VECTOR } from './sizes';

/**
 * Runs all steps of `rows` rows from a zero state. With keep, z and c have steps + 1 layers and gates has steps layers. Without
 * keep, z has 2 layers, c has one, and gates is not used. z and the first layer of c must contain zeros.
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
