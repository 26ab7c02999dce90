import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import * as path from 'node:path';

/**
 * Runs a command to its end.
 *
 * @param {string} cwd
 * @param {string} command
 * @param {readonly string[]} args
 * @returns {string} its standard output
 * @throws Error with the command and what it said, if it fails
 */
export function run(cwd, command, ...args) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  if (status === 0) return stdout;
  throw new Error(`${command} ${args.join(' ')}: ${error?.message ?? `${stdout}${stderr}`.trim()}`);
}

/**
 * Packs a folder as npm does, without scripts.
 *
 * @param {string} from folder of the package
 * @param {string} to where the file is written
 * @returns {string} the path of the file
 */
export function pack(from, to) {
  mkdirSync(to, { recursive: true });
  const [{ filename }] = JSON.parse(run(from, 'npm', 'pack', '--json', '--ignore-scripts', '--pack-destination', to));
  return path.join(to, filename);
}
