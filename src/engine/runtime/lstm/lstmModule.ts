import { bytesOfBase64 } from '../../../core/base64.ts';
import { FUSED_LSTM_WASM, RELAXED_LSTM_WASM } from './fusedLstmWasm.ts';

/** Exports of assembly/fusedLstm.ts; offsets and strides in bytes, flags 0 or 1. */
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
  pool(states: number, kernel: number, scores: number, out: number, outStride: number, rows: number, steps: number, units: number): void;
  poolBackward(
    states: number,
    kernel: number,
    scores: number,
    dScores: number,
    dOut: number,
    dStates: number,
    dKernel: number,
    rows: number,
    steps: number,
    units: number,
  ): void;
  denseRelu(x: number, xStride: number, kernel: number, bias: number, out: number, rows: number, depth: number, units: number): void;
  gateFunctions(values: number, squash: number): void;
};

/** A new instance with its own memory. Throws WebAssembly.CompileError if SIMD is missing. */
export async function instantiateLstmModule(): Promise<LstmModule> {
  return instantiate(bytesOfBase64(FUSED_LSTM_WASM.base64));
}

/**
 * The same module with fused multiply-add where the processor supports it. It is faster, but its last bits depend on the processor, so
 * training does not use it. Undefined if the engine has no relaxed SIMD.
 */
export async function instantiateRelaxedLstmModule(): Promise<LstmModule | undefined> {
  enableRelaxedSimd();
  const bytes = bytesOfBase64(RELAXED_LSTM_WASM.base64);
  return WebAssembly.validate(bytes) ? instantiate(bytes) : undefined;
}

type NodeProcess = {
  readonly versions: { readonly node?: string };
  getBuiltinModule?(name: 'node:v8'): { setFlagsFromString(flag: string): void };
};

/** Node.js 20 has relaxed SIMD behind a flag; later versions and browsers enable it. Here, so that a package gives the same bits as the service. */
function enableRelaxedSimd(): void {
  const { process } = globalThis as { process?: NodeProcess };
  if (process?.versions.node?.startsWith('20.') === true)
    process.getBuiltinModule?.('node:v8').setFlagsFromString('--experimental-wasm-relaxed-simd');
}

async function instantiate(bytes: Uint8Array<ArrayBuffer>): Promise<LstmModule> {
  const { instance } = await WebAssembly.instantiate(bytes, { env: { abort: () => undefined } });
  return instance.exports as unknown as LstmModule;
}
