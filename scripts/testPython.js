/**
 * `npm run test:python [-- ARGUMENT…]`: writes the sync client and builds the engine of the Python package, starts a service on a free port and runs the tests of clients/python
 * against it, or pytest with these arguments, with PYTHON (default python3); also mypy if it is installed. Exit code 0 if all pass, 1 if any fails, 2 if Python lacks pytest or httpx.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildEngineChild } from './buildEngine.js';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const folder = path.join(root, 'clients', 'python');
const python = process.env.PYTHON ?? 'python3';

if (!has('import httpx, pytest')) {
  process.stderr.write(`${python} has no httpx and pytest. Run: pip install './clients/python[test]', or set PYTHON to another Python.\n`);
  process.exit(2);
}
buildEngineChild(path.join(folder, 'src', 'tickmark', '_engine'));
spawnSync(python, [path.join(folder, 'write_sync.py')], { stdio: 'inherit' });
const data = mkdtempSync(path.join(os.tmpdir(), 'tickmark-python-'));
const server = spawn(process.execPath, [path.join(root, 'bin', 'tickmark.js'), 'serve'], {
  env: { ...process.env, PORT: '0', HOST: '127.0.0.1', DATA_DIR: data, MONGODB_URI: '', LOG_LEVEL: 'error' },
  stdio: ['ignore', 'pipe', 'inherit'],
});
const ended = new Promise((resolve) => server.once('exit', resolve));
try {
  const env = { ...process.env, TICKMARK_URL: await addressOf(), PYTHONPATH: path.join(folder, 'src'), PYTHONDONTWRITEBYTECODE: '1' };
  const asked = process.argv.slice(2);
  const tests = asked.length > 0 ? asked : ['tests'];
  const runs = [['-m', 'pytest', '-q', '-rs', '-p', 'no:cacheprovider', '--rootdir', folder, ...tests]];
  if (has('import mypy')) runs.push(['-m', 'mypy', '--cache-dir', path.join(data, 'mypy')]);
  else process.stdout.write('skipped: mypy is not installed\n');
  for (const args of runs) {
    if (spawnSync(python, args, { cwd: folder, env, stdio: 'inherit' }).status !== 0) process.exitCode = 1;
  }
} finally {
  server.kill('SIGINT');
  await ended;
  rmSync(data, { recursive: true, force: true });
}

function has(imports) {
  return spawnSync(python, ['-c', imports]).status === 0;
}

function addressOf() {
  return new Promise((resolve, reject) => {
    let said = '';
    server.stdout.on('data', (chunk) => {
      said += chunk;
      const ready = /is ready on (http:\S+)/.exec(said);
      if (ready) resolve(ready[1]);
    });
    ended.then(() => reject(new Error(`tickmark serve exited before it was ready:\n${said}`)));
  });
}
