/**
 * `npm run pack:cuda [FILE]`: packs `npm run bench -- cuda` for a machine with an NVIDIA card that has neither a network nor Node.js: one archive with the
 * Node.js of this machine, the bench in bundles, the modules that it loads, the model and `run.sh`. There: `tar xJf FILE && tickmark-cuda/run.sh`.
 * It needs the driver; for the comparison also Python with PyTorch (PYTHON), and compute-sanitizer for its checks. Linux x64.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const file = path.resolve(process.argv[2] ?? 'tickmark-cuda.tar.xz');
const NAME = 'tickmark-cuda';
const PACKAGES = ['tfjs-core', 'tfjs-backend-wasm', 'tfjs-backend-cpu', 'tfjs-layers'].map((name) => `@tensorflow/${name}`);
/** Of the modules, what Node.js loads: no maps, types or builds for browsers. */
const isLoaded = (source) =>
  !/\.(map|ts|md)$|@tensorflow\/[a-z-]+\/(src|dist\/miniprogram|demos)$|\/tf[a-z-]*(\.es2017|\.fesm)?(\.min)?\.js$/.test(source);

const RUN = `#!/bin/sh
# Correctness and times on this card, as Markdown; then the checks of compute-sanitizer where it is found. NVIDIA driver 525 or newer.
set -eu
cd "$(dirname "$0")"
./node js/cudaMain.mjs "$@"
sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda*/bin/compute-sanitizer 2>/dev/null | head -n 1 || true)
if [ -z "$sanitizer" ]; then echo 'compute-sanitizer: not found'; exit 0; fi
for tool in memcheck racecheck initcheck; do
  echo "compute-sanitizer $tool"
  "$sanitizer" --tool "$tool" --error-exitcode 3 ./node js/cudaOnce.mjs | tail -n 3
done
`;
const MAIN = `import { EOL } from 'node:os';
import { bench } from './bench/cuda.ts';
import { machineLine, markdownTable } from './bench/tables.ts';
const rows = await bench.run();
process.stdout.write([machineLine(), '', markdownTable(rows), ''].join(EOL));
`;

const folder = mkdtempSync(path.join(tmpdir(), 'tickmark-cuda-'));
const to = (...parts) => path.join(folder, NAME, ...parts);
try {
  const shared = {
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    external: ['@tensorflow/*', 'koffi'],
    logLevel: 'error',
  };
  const banner = { js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);" };
  await build({ ...shared, banner, stdin: { contents: MAIN, resolveDir: root, loader: 'ts' }, outfile: to('js', 'cudaMain.mjs') });
  await build({ ...shared, banner, entryPoints: [path.join(root, 'bench', 'cudaOnce.ts')], outfile: to('js', 'cudaOnce.mjs') });
  for (const name of ['package.json', 'models', 'bench/peers/cudnnPeer.py', 'src/engine/runtime/cuda/lstm.ptx'])
    cpSync(path.join(root, name), to(name), { recursive: true });
  // The bundles look for it next to themselves.
  cpSync(path.join(root, 'src/engine/runtime/cuda/lstm.ptx'), to('js', 'lstm.ptx'));
  copyModules([...PACKAGES, 'koffi'], new Set());
  cpSync(process.execPath, to('node'));
  writeFileSync(to('run.sh'), RUN, { mode: 0o755 });
  mkdirSync(path.dirname(file), { recursive: true });
  const { status, error } = spawnSync('tar', ['cJf', file, '-C', folder, NAME], {
    stdio: 'inherit',
    env: { ...process.env, XZ_OPT: '-T0' },
  });
  if (status !== 0) throw new Error(`tar: ${error?.message ?? `ended with ${status}`}`);
  process.stdout.write(`${file}: ${(statSync(file).size / 2 ** 20).toFixed(1)} MiB\n`);
} finally {
  rmSync(folder, { recursive: true });
}

/** Copies packages and all that they depend on. */
function copyModules(names, copied) {
  for (const name of names) {
    if (copied.has(name)) continue;
    copied.add(name);
    const from = path.join(root, 'node_modules', name);
    let manifest;
    try {
      manifest = JSON.parse(readFileSync(path.join(from, 'package.json'), 'utf8'));
    } catch {
      // An optional package for another platform.
      continue;
    }
    cpSync(from, to('node_modules', name), { recursive: true, filter: (source) => isLoaded(source.slice(root.length)) });
    copyModules(Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies }), copied);
  }
}
