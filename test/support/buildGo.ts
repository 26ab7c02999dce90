import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { accessSync, constants, existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import * as path from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from './tickmarkProcess.ts';

export function onPath(name: string): string | undefined {
  for (const folder of (process.env['PATH'] ?? '').split(path.delimiter)) {
    const file = path.join(folder, name);
    try {
      accessSync(file, constants.X_OK);
      return file;
    } catch {
      // The program is not in this folder.
    }
  }
  return undefined;
}

/**
 * Builds a program once per version of its sources and options. Throws with the reason if it cannot be built, or is not built and may not be.
 */
export async function buildOnce(
  name: string,
  sources: readonly string[],
  build: (target: string) => Promise<unknown>,
  options: readonly string[] = [],
  mayBuild = true,
): Promise<string> {
  const hash = createHash('sha256').update(options.join(' '));
  for (const file of sources) hash.update(readFileSync(file));
  const folder = path.join(ROOT, 'node_modules', '.cache', 'tickmark');
  const program = path.join(folder, `${name}-${hash.digest('hex').slice(0, 16)}`);
  if (existsSync(program)) return program;
  if (!mayBuild) throw new Error(`${name} is not built`);
  mkdirSync(folder, { recursive: true });
  const unfinished = `${program}.${process.pid}`;
  await build(unfinished);
  renameSync(unfinished, program);
  return program;
}

/** Builds the program of the Go module in `sources`, as `buildOnce`; for example, it fails without access to the Go module proxy. */
export function buildGo(
  go: string,
  sources: string,
  options: { readonly name: string; readonly flags?: readonly string[]; readonly mayBuild?: boolean },
): Promise<string> {
  const { name, flags = [], mayBuild = true } = options;
  const files = readdirSync(sources).sort();
  const build = (target: string): Promise<unknown> =>
    promisify(execFile)(go, ['build', ...flags, '-o', target], {
      cwd: sources,
      env: { ...process.env, CGO_ENABLED: '0' },
      timeout: 1_800_000,
    });
  return buildOnce(
    name,
    files.map((file) => path.join(sources, file)),
    build,
    [],
    mayBuild,
  );
}
