import { spawnSync } from 'node:child_process';
import * as path from 'node:path';
import { ROOT } from './tickmarkProcess.ts';

export const PYTHON = process.env['PYTHON'] ?? 'python3';

/** The folder from which Python imports the client of this checkout. The sync client is written there first, because Git has the async one alone. */
export function pythonClient(): string {
  const folder = path.join(ROOT, 'clients', 'python');
  spawnSync(PYTHON, [path.join(folder, 'write_sync.py')], { stdio: 'inherit' });
  return path.join(folder, 'src');
}
