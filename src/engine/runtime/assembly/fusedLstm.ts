// AssemblyScript, compiled by scripts/buildWasm.js. The LSTM of FusedLSTM in 128-bit SIMD, float32 throughout.
//
// A step reads one row z = [x, h] per batch row, so kernel and recurrent kernel form one matrix of
// depth = columns + units rows. Units are padded to blocks of 4 lanes; padded units have zero weights and stay 0.
//   weights    [block][depth][gate][lane]     16 floats for each block and row of the matrix
//   bias       [block][gate][lane]
//   z          [step][row][zStride]           x at 0, h at `columns`, zeros after
//   c          [step][row][4 * blocks]
//   gates      [step][row][block][gate][lane] after the gate functions; the backward pass overwrites them by its gradients
//   transposed [depth / 16][block, gate, lane][16]
// The order of every sum is independent of the number of rows, so a batch gives the same bits as its rows one by one.
// Offsets and strides are bytes, sizes are counts.

export { backward } from './backward';
export { denseRelu } from './denseRelu';
export { forward } from './forward';
export { gateFunctions } from './gateFunctions';
export { pool, poolBackward } from './pool';
export { pack, transpose, unpack } from './weights';
