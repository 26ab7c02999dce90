import { execFile, spawnSync } from 'node:child_process';
import * as path from 'node:path';
import { promisify } from 'node:util';
import { packLstm, packRecurrent } from '../../../src/engine/runtime/cuda/packLstm.ts';
import type { LstmCall } from '../../../src/engine/runtime/lstm/LstmProgram.ts';
import { unpackGradients } from '../../../src/engine/runtime/cuda/CudaSummary.ts';
import type { SummaryCall, SummaryGradients } from '../../../src/engine/runtime/lstm/SummaryProgram.ts';
import type { TrunkCall } from '../../../src/engine/runtime/lstm/SimdLstmProgram.ts';
import { buildOnce } from '../buildGo.ts';
import { ROOT } from '../tickmarkProcess.ts';

const FOLDER = path.join(ROOT, 'test', 'support', 'cuda');
const KERNELS = path.join(ROOT, 'src', 'engine', 'runtime', 'cuda', 'lstm.cu');
/**
 * The kernels are found by name at run time. No product is joined with a sum, so that all machines compute the same, and a jump to another stack is
 * not an error.
 */
const FLAGS = ['-O1', '-std=c++17', '-ffp-contract=off', '-U_FORTIFY_SOURCE', '-Wno-unknown-pragmas', '-rdynamic'];

type EmulatedSizes = {
  /** Steps whose inputs are in shared memory at once. */
  readonly chunkSteps: number;
  /** Of the order in which the warps run. */
  readonly seed: number;
};

export type EmulatedCall = EmulatedSizes & { readonly lstm: LstmCall; readonly trunk: TrunkCall };

export type EmulatedTraining = EmulatedSizes & { readonly call: SummaryCall; readonly dy: Float32Array };

/** Compiles the program with g++. */
export function buildEmulator(compiler: string): Promise<string> {
  const [program, header] = ['runKernels.cpp', 'emulateCuda.h'].map((name) => path.join(FOLDER, name)) as [string, string];
  const build = (target: string): Promise<unknown> => promisify(execFile)(compiler, [...FLAGS, '-o', target, program, '-ldl']);
  return buildOnce('emulatedCuda', [program, header, KERNELS], build, FLAGS);
}

/** [batch, D] of each call, from the CUDA kernels on the CPU. Throws with what the emulation found wrong. */
export function runEmulated(program: string, calls: readonly EmulatedCall[]): Float32Array[] {
  const counts = calls.map(({ lstm, trunk }) => lstm.batch * trunk.bias.length);
  return run(program, calls.map(bytesOf), counts);
}

/** Summary and gradients of each call, as runEmulated. */
export function runEmulatedTraining(
  program: string,
  calls: readonly EmulatedTraining[],
): { readonly summary: Float32Array; readonly gradients: SummaryGradients }[] {
  const counts = calls.flatMap(({ call: { batch, columns, units } }) => [batch * 2 * units, (columns + units + 2) * 4 * units]);
  const results = run(program, calls.map(trainingBytesOf), counts);
  return calls.map(({ call: { columns, units } }, i) => ({
    summary: results[2 * i],
    gradients: unpackGradients(results[2 * i + 1], columns, units),
  }));
}

/** Arrays of `counts` floats, which the program wrote one after the other. */
function run(program: string, inputs: readonly Buffer[], counts: readonly number[]): Float32Array[] {
  const { status, stdout, stderr, signal } = spawnSync(program, { input: Buffer.concat(inputs), maxBuffer: 2 ** 26 });
  if (status !== 0) throw new Error(`the emulated kernel ended with ${status ?? signal}: ${stderr.toString().trim()}`);
  const floats = new Float32Array(new Uint8Array(stdout).buffer);
  let next = 0;
  return counts.map((count) => floats.subarray(next, (next += count)));
}

/** Layout of `Call` in runKernels.cpp, then the arrays. */
function bytes(kernel: string, sizes: readonly number[], floats: readonly Float32Array[]): Buffer {
  const name = Buffer.alloc(32);
  name.write(kernel);
  const arrays = [Int32Array.from(sizes), ...floats].map((array) => Buffer.from(array.buffer, array.byteOffset, array.byteLength));
  return Buffer.concat([name, ...arrays]);
}

function bytesOf({ lstm, trunk, chunkSteps, seed }: EmulatedCall): Buffer {
  const { batch, steps, columns, units } = lstm;
  const contextColumns = trunk.context.length / batch;
  const packed = packLstm(lstm, columns);
  // As in lstm.cu: what a block needs during its steps, and after them.
  const after = (units / 4) * (units + 2) + 2 * units + contextColumns;
  const sharedBytes = 4 * (2 * units + Math.max(chunkSteps * columns, after));
  const sizes = [batch, steps, columns, contextColumns, trunk.bias.length, units, packed.length, chunkSteps, sharedBytes, seed];
  return bytes('trunkForward', sizes, [lstm.x, trunk.context, packed, trunk.attention, trunk.kernel, trunk.bias]);
}

function trainingBytesOf({ call, dy, chunkSteps, seed }: EmulatedTraining): Buffer {
  const { batch, steps, columns, units } = call;
  const packed = packLstm(call, columns);
  const sharedBytes = 4 * (2 * units + Math.max(chunkSteps * columns, (units / 4) * (units + 2) + 2 * units));
  const sizes = [batch, steps, columns, 0, 0, units, packed.length, chunkSteps, sharedBytes, seed];
  const recurrent = packRecurrent(call.recurrentKernel);
  return bytes('summaryForward', sizes, [call.x, packed, call.attention, recurrent, dy]);
}
