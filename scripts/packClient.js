/**
 * `npm run pack:client [FOLDER]`: compiles clients/typescript, with its types, and packs the file that users install. Prints the path of
 * the file.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import * as path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const client = path.join(root, 'clients', 'typescript');
const folder = path.resolve(process.argv[2] ?? client);

rmSync(path.join(client, 'dist'), { recursive: true, force: true });
run(process.execPath, [path.join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', client]);
copyFileSync(path.join(root, 'LICENSE'), path.join(client, 'LICENSE'));
mkdirSync(folder, { recursive: true });
const [packed] = JSON.parse(run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder]));
process.stdout.write(`${path.join(folder, packed.filename)}\n`);

function run(command, args) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd: client, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  if (status === 0) return stdout;
  process.stderr.write(`${command} ${args.join(' ')}: ${error?.message ?? `${stdout}${stderr}`}\n`);
  process.exit(1);
}
