// Compiles src/engine/runtime/assembly and writes src/engine/runtime/lstm/fusedLstmWasm.ts; with --check it only compares.
// Plain JavaScript: a TypeScript loader would also transform the 14 MB of the compiler, which takes longer than the build.
import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { main } from 'assemblyscript/asc';

const SOURCES = new URL('../src/engine/runtime/assembly/', import.meta.url);
const TARGET = new URL('../src/engine/runtime/lstm/fusedLstmWasm.ts', import.meta.url);
const OPTIONS = '-O3 --noAssert --runtime stub --enable simd --maximumMemory 16384'.split(' ');
/** Modules by the name of their constant: description, and compiler options in addition to SIMD. */
const MODULES = {
  FUSED_LSTM_WASM: { about: 'The compiled SIMD module', options: [] },
  RELAXED_LSTM_WASM: { about: 'The same with multiply and add in one step', options: ['--enable', 'relaxed-simd'] },
};

async function compile(sources, options) {
  const written = new Map();
  const { error, stderr } = await main(['fusedLstm.ts', '--outFile', 'fusedLstm.wasm', ...OPTIONS, ...options], {
    readFile: (name) => sources.get(name) ?? null,
    writeFile: (name, contents) => void written.set(name, contents),
    listFiles: () => [],
  });
  if (error) throw new Error(`asc: ${error.message}\n${stderr.toString()}`);
  return Buffer.from(written.get('fusedLstm.wasm'));
}

const sources = new Map();
for (const name of await readdir(SOURCES)) sources.set(name, await readFile(new URL(name, SOURCES), 'utf8'));
const parts = [];
const made = [];
for (const [name, { about, options }] of Object.entries(MODULES)) {
  const bytes = await compile(sources, options);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  made.push(`${name} ${sha256}`);
  parts.push(`
/** ${about}, base64, and the SHA-256 of its bytes. */
export const ${name} = {
  sha256: '${sha256}',
  base64:
    '${bytes.toString('base64')}',
};
`);
}
const text = `// Made by \`npm run build:wasm\` from assembly: do not edit.
${parts.join('')}`;
if (process.argv.includes('--check')) {
  const same = (await readFile(TARGET, 'utf8')) === text;
  process.stdout.write(`${same ? 'same' : 'differs'}: ${made.join(', ')}\n`);
  process.exitCode = same ? 0 : 1;
} else {
  await writeFile(TARGET, text);
  process.stdout.write(`src/engine/runtime/lstm/fusedLstmWasm.ts: ${made.join(', ')}\n`);
}
