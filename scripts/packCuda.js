/**
 * `npm run pack:cuda [FILE]`: packs `npm run bench -- cuda` and `cudaServing` for a machine with an NVIDIA card that has neither a network nor Node.js: one
 * archive with the Node.js of this machine, the built service, the benches, the modules that they load, the models and `run.sh`. There:
 * `tar xJf FILE && tickmark-cuda/run.sh`. It needs the driver, and compute-sanitizer for its checks. Linux x64.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const file = path.resolve(process.argv[2] ?? 'tickmark-cuda.tar.xz');
const NAME = 'tickmark-cuda';
/** Without tsconfig.json, the service runs from `dist`, as in a package. */
const PARTS = [
  'package.json',
  'bin',
  'dist',
  'src',
  'clients/typescript/src',
  'clients/engine/src',
  'training',
  'bench',
  'models',
  'rules',
];
const TEST_PARTS = ['test/support/freePort.ts', 'test/support/realTicks.ts'];
/** TensorFlow in C is 400 MB, and not measured here; the Node.js of this machine is linked with glibc. */
const LEFT_OUT = ['@tensorflow/tfjs-node-gpu', '@libsql/linux-x64-musl'];
/** Of the modules, what Node.js loads: no maps, types or builds for browsers. */
const isLoaded = (source) =>
  !/\.(map|d\.ts|md)$|@tensorflow\/[a-z-]+\/(src|dist\/miniprogram|demos)$|\/tf[a-z-]*(\.es2017|\.fesm)?(\.min)?\.js$/.test(source);

const RUN = `#!/bin/sh
# Correctness and times on this card, as Markdown; then the checks of compute-sanitizer where it is found. NVIDIA driver 525 or newer.
set -eu
cd "$(dirname "$0")"
PATH=$PWD:$PATH
bench() { node --import tsx bench/run.ts "$@" --markdown; }
bench cuda
SERVING_ROUNDS=\${SERVING_ROUNDS:-2} bench cudaServing
sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda*/bin/compute-sanitizer 2>/dev/null | head -n 1 || true)
if [ -z "$sanitizer" ]; then echo 'compute-sanitizer: not found'; exit 0; fi
for tool in memcheck racecheck initcheck; do
  echo "compute-sanitizer $tool"
  "$sanitizer" --tool "$tool" --error-exitcode 3 ./node --import tsx bench/cudaOnce.ts | tail -n 3
done
`;

const folder = mkdtempSync(path.join(tmpdir(), 'tickmark-cuda-'));
const to = (...parts) => path.join(folder, NAME, ...parts);
const run = (command, ...args) => {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: 'inherit', env: { ...process.env, XZ_OPT: '-T0' } });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${error?.message ?? `ended with ${status}`}`);
};
try {
  run('npm', 'run', '--silent', 'build');
  for (const name of [...PARTS, ...TEST_PARTS]) cpSync(path.join(root, name), to(name), { recursive: true });
  const { dependencies } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  copyModules([...Object.keys(dependencies), 'tsx'], new Set(LEFT_OUT));
  cpSync(process.execPath, to('node'));
  writeFileSync(to('run.sh'), RUN, { mode: 0o755 });
  mkdirSync(path.dirname(file), { recursive: true });
  run('tar', 'cJf', file, '-C', folder, NAME);
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
