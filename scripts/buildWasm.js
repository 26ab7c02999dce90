// Compiles src/runtime/assembly and writes src/runtime/fusedLstmWasm.ts; with --check it only compares.
// Plain JavaScript: a TypeScript loader would also transform the compiler's own 14 MB, which takes longer than the work.
import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { main } from 'assemblyscript/asc';

const SOURCES = new URL('../src/runtime/assembly/', import.meta.url);
const TARGET = new URL('../src/runtime/fusedLstmWasm.ts', import.meta.url);
const OPTIONS = '-O3 --noAssert --runtime stub --enable simd --maximumMemory 16384'.split(' ');

async function compile() {
  const sources = new Map();
  for (const name of await readdir(SOURCES)) sources.set(name, await readFile(new URL(name, SOURCES), 'utf8'));
  const written = new Map();
  const { error, stderr } = await main(['fusedLstm.ts', '--outFile', 'fusedLstm.wasm', ...OPTIONS], {
    readFile: (name) => sources.get(name) ?? null,
    writeFile: (name, contents) => void written.set(name, contents),
    listFiles: () => [],
  });
  if (error) throw new Error(`asc: ${error.message}\n${stderr.toString()}`);
  return written.get('fusedLstm.wasm');
}

const bytes = await compile();
const sha256 = createHash('sha256').update(bytes).digest('hex');
const text = `// Made by \`npm run build:wasm\` from assembly: do not edit.

/** The compiled SIMD module, base64, and the SHA-256 of its bytes. */
export const FUSED_LSTM_WASM = {
  sha256: '${sha256}',
  base64:
    '${Buffer.from(bytes).toString('base64')}',
};
`;
if (process.argv.includes('--check')) {
  const same = (await readFile(TARGET, 'utf8')) === text;
  process.stdout.write(same ? `same: sha256 ${sha256}\n` : `differs: rebuilt sha256 ${sha256}\n`);
  process.exitCode = same ? 0 : 1;
} else {
  await writeFile(TARGET, text);
  process.stdout.write(`src/runtime/fusedLstmWasm.ts: ${bytes.length} bytes, sha256 ${sha256}\n`);
}
