import { execFile, spawnSync } from 'node:child_process';
import * as path from 'node:path';
import { promisify } from 'node:util';
import { packLstm } from '../../../src/engine/runtime/cuda/packLstm.ts';
import type { LstmCall } from '../../../src/engine/runtime/lstm/LstmProgram.ts';
import type { TrunkCall } from '../../../src/engine/runtime/lstm/SimdLstmProgram.ts';
import { buildOnce } from '../buildGo.ts';
import { ROOT } from '../tickmarkProcess.ts';

const FOLDER = path.join(ROOT, 'test', 'support', 'cuda');
const KERNELS = path.join(ROOT, 'src', 'engine', 'runtime', 'cuda', 'lstmTrunk.cu');
/**
 * The kernels are found by name at run time. No product is joined with a sum, so that all machines compute the same, and a jump to another stack is
 * not an error.
 */
const FLAGS = ['-O1', '-std=c++17', '-ffp-contract=off', '-U_FORTIFY_SOURCE', '-Wno-unknown-pragmas', '-rdynamic'];

export type EmulatedCall = {
  readonly lstm: LstmCall;
  readonly trunk: TrunkCall;
  /** Columns of the kernel: at least those of the call. */
  readonly maxColumns: number;
  /** Steps whose inputs are in shared memory at once. */
  readonly chunkSteps: number;
  /** Of the order in which the warps run. */
  readonly seed: number;
};

/** Compiles the program with g++. */
export function buildEmulator(compiler: string): Promise<string> {
  const [program, header] = ['runTrunk.cpp', 'emulateCuda.h'].map((name) => path.join(FOLDER, name)) as [string, string];
  const build = (target: string): Promise<unknown> => promisify(execFile)(compiler, [...FLAGS, '-o', target, program, '-ldl']);
  return buildOnce('emulatedTrunk', [program, header, KERNELS], build, FLAGS);
}

/** [batch, D] of each call, from the CUDA kernels on the CPU. Throws with what the emulation found wrong. */
export function runEmulated(program: string, calls: readonly EmulatedCall[]): Float32Array[] {
  const input = Buffer.concat(calls.map(bytesOf));
  const { status, stdout, stderr, signal } = spawnSync(program, { input, maxBuffer: 2 ** 26 });
  if (status !== 0) throw new Error(`the emulated kernel ended with ${status ?? signal}: ${stderr.toString().trim()}`);
  const floats = new Float32Array(new Uint8Array(stdout).buffer);
  const counts = calls.map(({ lstm, trunk }) => lstm.batch * trunk.bias.length);
  let next = 0;
  return counts.map((count) => floats.subarray(next, (next += count)));
}

/** Layout of `Call` in runTrunk.cpp, then the arrays. */
function bytesOf({ lstm, trunk, maxColumns, chunkSteps, seed }: EmulatedCall): Buffer {
  const { batch, steps, columns, units } = lstm;
  const contextColumns = trunk.context.length / batch;
  const packed = packLstm(lstm, units, columns, maxColumns);
  // As in lstmTrunk.cu: what a block needs during its steps, and after them.
  const after = (units / 4) * (units + 2) + 2 * units + contextColumns;
  const sharedBytes = 4 * (2 * units + Math.max(chunkSteps * columns, after));
  const sizes = [batch, steps, columns, contextColumns, trunk.bias.length, units, packed.length, chunkSteps, sharedBytes, seed];
  const name = Buffer.alloc(32);
  name.write(`trunk_h${units}_x${maxColumns}`);
  const floats = [lstm.x, trunk.context, packed, trunk.attention, trunk.kernel, trunk.bias];
  return Buffer.concat([
    name,
    ...[Int32Array.from(sizes), ...floats].map((array) => Buffer.from(array.buffer, array.byteOffset, array.byteLength)),
  ]);
}
