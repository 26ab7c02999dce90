/**
 * `npm run pack [FOLDER]`: builds `dist`, then packs the file that users install. npm does not build, because `ignore-scripts` disables
 * `prepack`. Prints the path of the file.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import * as path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const folder = path.resolve(process.argv[2] ?? root);

run(process.execPath, ['bin/build.js'], root);
mkdirSync(folder, { recursive: true });
const [packed] = JSON.parse(run('npm', ['pack', '--json', '--pack-destination', folder], root));
process.stdout.write(`${path.join(folder, packed.filename)}\n`);

function run(command, args, cwd) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  if (status === 0) return stdout;
  process.stderr.write(`${command} ${args.join(' ')}: ${error?.message ?? `${stdout}${stderr}`}\n`);
  process.exit(1);
}
