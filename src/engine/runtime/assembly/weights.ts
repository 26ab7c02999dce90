import { TILE } from './sizes';

/** Packs the raw weights into blocks. `weights` and `packedBias` must contain zeros. */
export function pack(
  kernel: usize, recurrent: usize, bias: usize, weights: usize, packedBias: usize, columns: i32, units: i32,
): void {
  const depth = columns + units;
  for (let gate = 0; gate < 4; gate++) {
    for (let u = 0; u < units; u++) {
      const block = u >> 2;
      const column = (gate << 2) + (u & 3);
      const from = <usize>(gate * units + u) << 2;
      store<f32>(packedBias + (<usize>(block * 16 + column) << 2), load<f32>(bias + from));
      let to = weights + (<usize>(block * depth * 16 + column) << 2);
      for (let k = 0; k < depth; k++) {
        const row = k < columns ? kernel + (<usize>(k * 4 * units) << 2) : recurrent + (<usize>((k - columns) * 4 * units) << 2);
        store<f32>(to, load<f32>(row + from));
        to += TILE;
      }
    }
  }
}

/** Transposes packed weights for products from the right. `transposed` must contain zeros. */
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

/** Converts the layout of the backward pass to that of the weights. */
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
