import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import koffi from 'koffi';
import { systemClock } from '../src/core/Clock.ts';
import { packageRoot } from '../src/core/packageRoot.ts';
import { findTools } from '../src/engine/native/findTools.ts';
import { libraryStep } from '../src/engine/native/libraryStep.ts';
import { cuda } from '../src/engine/native/pins.ts';
import { runProgram } from '../src/engine/native/runProgram.ts';
import { nativeParts } from '../src/engine/runtime/nativeParts.ts';

/**
 * `npm run build:cuda`: compiles lstm.cu to lstm.ptx.gz with NVIDIA's runtime compiler from its Python package, without a CUDA toolkit or a
 * card, compiles the PTX for the cards of TARGETS, and fails if a kernel keeps values outside of the registers. With `--check` it only compares.
 * Linux x64; needs Python with pip for the first download (64 MB, into .native/nvrtc).
 * The runtime compiler is that of CUDA 12.0, whose PTX every driver from 525 on knows; ptxas is a newer one, which knows newer cards.
 */
const VERSION = '12.0.140';
const NVRTC = cuda(
  'cuda-nvrtc',
  VERSION,
  'manylinux1_x86_64',
  '8e94e991d85c422de4da87bdc7472fdc1364367bd4aace7000b559cd33122071',
  23_410_082,
  62_612_765,
);
const NVCC = cuda(
  'cuda-nvcc',
  '12.8.93',
  'manylinux2010_x86_64.manylinux_2_12_x86_64',
  '2d6dc36fb7cb5ac9c0b8825bc13d193c35487a315664007287d0126531238011',
  40_128_098,
  97_560_342,
);
/** Turing, the oldest generation that we compile for; each driver compiles the PTX further for its card. */
const OPTIONS = ['--gpu-architecture=compute_75', '--std=c++17', '--fmad=true'];
const TARGETS = ['sm_75', 'sm_80', 'sm_90', 'sm_100'];

const ROOT = packageRoot();
const SOURCE = path.join(ROOT, 'src', 'engine', 'runtime', 'cuda', 'lstm.cu');
const TARGET = SOURCE.replace(/cu$/, 'ptx.gz');
const PARTS = { ...nativeParts(ROOT, 'cuda'), folder: path.join(ROOT, '.native', 'nvrtc') };

/** Downloads and unpacks what is not there yet. */
async function fetchCompilers(): Promise<void> {
  const place = { root: ROOT, parts: PARTS, wheels: [NVRTC, NVCC] };
  const missing = place.wheels.map(libraryStep).filter((step) => !step.isDone(place));
  const environment = { ...process.env };
  const needs = new Set(missing.flatMap((step) => step.cost(place).needs));
  const { requirements, tools } = await findTools(needs, environment, process.execPath, runProgram);
  for (const { name, detail, remedy } of requirements) if (remedy !== undefined) throw new Error(`${name}: ${detail}. ${remedy}`);
  const progress = (text: string, isPassing: boolean): void => void (isPassing || process.stderr.write(`${text}\n`));
  const context = { ...place, tools, environment, run: runProgram, clock: systemClock, signal: undefined, progress };
  for (const step of missing) progress(`${step.name}: ${await step.run(context)}`, false);
}

/** The PTX of a source. Throws with the messages of the compiler. */
function compile(source: string): string {
  const library = koffi.load(path.join(PARTS.folder, 'nvidia', 'cuda_nvrtc', 'lib', 'libnvrtc.so.12'));
  const nvrtc = (name: string, ...types: string[]): ((...given: unknown[]) => number) => library.func(`nvrtc${name}`, 'int', types);
  const made: unknown[] = [null];
  const expectSuccess = (call: string, code: number): void => {
    if (code !== 0) throw new Error(`nvrtc${call} answered ${code}`);
  };
  const createProgram = nvrtc('CreateProgram', '_Out_ void **', 'str', 'str', 'int', 'void *', 'void *');
  expectSuccess('CreateProgram', createProgram(made, source, path.basename(SOURCE), 0, null, null));
  const [program] = made;
  const textOf = (name: string): string => {
    const size = new BigUint64Array(1);
    expectSuccess(`Get${name}Size`, nvrtc(`Get${name}Size`, 'void *', 'void *')(program, size));
    const text = Buffer.alloc(Number(size[0]));
    expectSuccess(`Get${name}`, nvrtc(`Get${name}`, 'void *', 'void *')(program, text));
    return text.subarray(0, -1).toString('latin1');
  };
  const code = nvrtc('CompileProgram', 'void *', 'int', 'const char **')(program, OPTIONS.length, OPTIONS);
  if (code !== 0) throw new Error(`NVRTC answered ${code}:\n${textOf('ProgramLog')}`);
  return textOf('PTX');
}

/** Registers of each kernel by card. Throws if ptxas fails, or a kernel spills. */
async function registersOf(ptxFile: string, target: string): Promise<ReadonlyMap<string, number>> {
  const ptxas = path.join(PARTS.folder, 'nvidia', 'cuda_nvcc', 'bin', 'ptxas');
  const args = [`-arch=${target}`, '-v', ptxFile, '-o', '/dev/null'];
  const { code, output } = await runProgram(ptxas, args, { environment: { ...process.env } });
  if (code !== 0) throw new Error(`ptxas ${args.join(' ')} ended with ${code}:\n${output}`);
  const registers = new Map<string, number>();
  for (const part of output.split(/(?=Compiling entry function ')/).slice(1)) {
    const [, name = ''] = /function '(\w+)'/.exec(part)!;
    const spilled = /(\d+) bytes spill stores, (\d+) bytes spill loads/.exec(part);
    const used = /Used (\d+) registers/.exec(part);
    if (spilled === null || used === null) throw new Error(`ptxas does not say what ${name} uses on ${target}:\n${part}`);
    if (Number(spilled[1]) + Number(spilled[2]) > 0) throw new Error(`${name} spills registers on ${target}: ${spilled[0]}`);
    registers.set(name, Number(used[1]));
  }
  return registers;
}

async function checkTargets(ptx: string): Promise<void> {
  const kernels = [...ptx.matchAll(/^\.visible \.entry (\w+)\(/gm)].map(([, name]) => name!);
  const folder = mkdtempSync(path.join(tmpdir(), 'tickmark-cuda-'));
  try {
    const file = path.join(folder, 'lstm.ptx');
    writeFileSync(file, ptx);
    const columns = [];
    for (const target of TARGETS) columns.push(await registersOf(file, target));
    process.stdout.write(`registers: ${TARGETS.join(', ')}; nothing spills\n`);
    for (const kernel of kernels) {
      const used = columns.map((registers, i) => {
        const count = registers.get(kernel);
        if (count === undefined) throw new Error(`ptxas did not compile ${kernel} for ${TARGETS[i]}`);
        return count;
      });
      process.stdout.write(`${kernel}: ${used.join(', ')}\n`);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const sha256Of = (text: string): string => createHash('sha256').update(text).digest('hex');

await fetchCompilers();
const source = readFileSync(SOURCE, 'utf8');
const compiled = compile(source);
const made = `lstm.cu sha256 ${sha256Of(source)}, text below sha256 ${sha256Of(compiled)}, NVRTC ${VERSION} ${OPTIONS.join(' ')}`;
const ptx = `// Made by \`npm run build:cuda\`: ${made}\n${compiled}`;
await checkTargets(ptx);
if (!process.argv.includes('--check')) writeFileSync(TARGET, gzipSync(Buffer.from(ptx, 'latin1'), { level: 9 }));
else if (gunzipSync(readFileSync(TARGET)).toString('latin1') !== ptx) {
  process.stdout.write('lstm.ptx.gz differs: run npm run build:cuda\n');
  process.exitCode = 1;
}
process.stdout.write(`${made}: ${ptx.length} bytes\n`);
