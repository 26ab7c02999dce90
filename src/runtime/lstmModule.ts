import { FUSED_LSTM_WASM } from './fusedLstmWasm.ts';

/** What assembly/fusedLstm.ts exports; offsets and strides in bytes, flags 0 or 1. */
export type LstmModule = {
  readonly memory: WebAssembly.Memory;
  pack(kernel: number, recurrent: number, bias: number, weights: number, packedBias: number, columns: number, units: number): void;
  transpose(weights: number, transposed: number, depth: number, blocks: number): void;
  forward(
    x: number,
    y: number,
    z: number,
    c: number,
    gates: number,
    weights: number,
    bias: number,
    rows: number,
    steps: number,
    columns: number,
    units: number,
    blocks: number,
    zStride: number,
    keep: number,
    sequences: number,
  ): void;
  backward(
    dy: number,
    dx: number,
    z: number,
    c: number,
    gates: number,
    transposed: number,
    dz: number,
    dh: number,
    dc: number,
    dWeights: number,
    dBias: number,
    rows: number,
    steps: number,
    columns: number,
    units: number,
    blocks: number,
    zStride: number,
    dzStride: number,
    sequences: number,
  ): void;
  unpack(
    dWeights: number,
    dBias: number,
    kernel: number,
    recurrent: number,
    bias: number,
    columns: number,
    units: number,
    blocks: number,
  ): void;
  pool(states: number, kernel: number, scores: number, out: number, rows: number, steps: number, units: number): void;
  gateFunctions(values: number, squash: number): void;
};

/** A fresh instance with a memory of its own. Throws WebAssembly.CompileError where SIMD is missing. */
export async function instantiateLstmModule(): Promise<LstmModule> {
  const { instance } = await WebAssembly.instantiate(Buffer.from(FUSED_LSTM_WASM.base64, 'base64'), { env: { abort: () => undefined } });
  return instance.exports as unknown as LstmModule;
}
