import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import * as path from 'node:path';
import { promisify } from 'node:util';
import { onPath } from './buildGo.ts';
import { ROOT } from './tickmarkProcess.ts';

const CACHE = path.join(ROOT, 'node_modules', '.cache', 'tickmark');
const FETCHED = path.join(CACHE, 'promtool');
const LIMIT_MS = 300_000;

/** The fetched promtool, or the one on the PATH; undefined if there is none. */
export const findPromtool = (): string | undefined => (existsSync(FETCHED) ? FETCHED : onPath('promtool'));

/** Fetches it from Debian's package `prometheus`, of which nothing is installed. Throws with the reason if that is impossible. */
export async function fetchPromtool(): Promise<string> {
  const found = findPromtool();
  if (found !== undefined) return found;
  if (onPath('apt-get') === undefined || onPath('dpkg-deb') === undefined) throw new Error('promtool is fetched on Debian only');
  mkdirSync(CACHE, { recursive: true });
  const folder = mkdtempSync(path.join(CACHE, 'fetch-'));
  const run = promisify(execFile);
  try {
    // Without root, the lists are taken as they are.
    await run('apt-get', ['update', '--quiet'], { timeout: LIMIT_MS }).catch(() => {});
    await run('apt-get', ['download', 'prometheus'], { cwd: folder, timeout: LIMIT_MS });
    const [file = ''] = readdirSync(folder);
    await run('dpkg-deb', ['--extract', file, 'files'], { cwd: folder, timeout: LIMIT_MS });
    copyFileSync(path.join(folder, 'files', 'usr', 'bin', 'promtool'), path.join(folder, 'promtool'));
    renameSync(path.join(folder, 'promtool'), FETCHED);
    return FETCHED;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
