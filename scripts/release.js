/**
 * `npm run release -- VERSION [--out FOLDER] [--dry-run]`: makes a release of the committed state. It sets the version in every place
 * (scripts/versionPlaces.js), turns the unreleased part of CHANGELOG.md into that of the version, commits, and tags the commit. From
 * that one commit it makes the archive of the sources, the packages of service, TypeScript client and engine, and, where docker is found, the image for x64 and arm64,
 * all with the commit inside. `--dry-run` does the same in a clone that is removed, and prints the commands that make packages and
 * image. Nothing is pushed. Exit code 1, with nothing changed, if a rule below is broken.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { parseArgs } from 'node:util';
import { VERSION_PLACES, versionsIn, withVersion } from './versionPlaces.js';

const VERSION = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/;
const UNRELEASED = '## [Unreleased]\n';
/** The section of the changelog that operators read before an upgrade. */
const TO_DO = '### To do at the upgrade\n';
const SUMS = 'SHA256SUMS';

try {
  release();
} catch (error) {
  process.stderr.write(`release: ${error.message}\n`);
  process.exitCode = 1;
}

function release() {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { out: { type: 'string', default: 'dist.release' }, 'dry-run': { type: 'boolean', default: false } },
  });
  const [version = ''] = positionals;
  const isDry = values['dry-run'];
  const root = git('.', 'rev-parse', '--show-toplevel');
  const out = path.resolve(root, values.out);
  check(root, version);
  const folder = mkdtempSync(path.join(os.tmpdir(), 'tickmark-release-'));
  try {
    const repository = isDry ? clone(root, path.join(folder, 'dry')) : root;
    writeVersion(repository, version);
    git(repository, 'commit', '--quiet', '--all', '--message', `Release ${version}`);
    git(repository, 'tag', '--annotate', `v${version}`, '--message', `tickmark ${version}`);
    const commit = git(repository, 'rev-parse', 'HEAD');
    say(`tag v${version} is commit ${commit}${isDry ? ' of a clone, because of --dry-run' : ''}`);
    mkdirSync(out, { recursive: true });
    const name = `tickmark-${version}`;
    git(
      repository,
      'archive',
      '--format=tar.gz',
      `--prefix=${name}/`,
      `--output=${path.join(out, `${name}-sources.tar.gz`)}`,
      `v${version}`,
    );
    // What lies in the checkout and is not committed gets into no package.
    const sources = isDry ? repository : clone(repository, path.join(folder, 'sources'));
    if (!existsSync(path.join(sources, 'node_modules'))) symlinkSync(path.join(root, 'node_modules'), path.join(sources, 'node_modules'));
    const make = (command, ...args) => {
      say(`${isDry ? 'would run' : 'runs'}: REVISION=${commit} ${command} ${args.join(' ')}`);
      if (!isDry) run(sources, command, args, { stdio: ['ignore', 'inherit', 'inherit'], env: { ...process.env, REVISION: commit } });
    };
    make('node', 'scripts/pack.js', out);
    make('node', 'scripts/packClient.js', out);
    make('node', 'scripts/packEngine.js', out);
    const hasDocker = spawnSync('docker', ['buildx', 'version'], { stdio: 'ignore' }).status === 0;
    const image = [
      'buildx',
      'build',
      '--platform',
      'linux/amd64,linux/arm64',
      '--build-arg',
      'NATIVE=none',
      '--build-arg',
      `VERSION=${version}`,
    ];
    image.push('--build-arg', `REVISION=${commit}`, '--tag', `tickmark:${version}`);
    image.push('--output', `type=oci,dest=${path.join(out, `${name}-image.tar`)}`, '.');
    if (hasDocker || isDry) make('docker', ...image);
    if (!hasDocker) say('docker with buildx is not found: there is no image');
    writeSums(out, name, version);
    say(`${out}: ${readdirSync(out).join(', ')}`);
    if (!isDry) say(`check them, then publish: git push origin HEAD v${version}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Throws if this is no state to release. */
function check(root, version) {
  if (!VERSION.test(version)) throw new Error(`a version such as 0.2.0 is expected, not "${version}". Run: npm run release -- 0.2.0`);
  const changed = git(root, 'status', '--porcelain');
  if (changed !== '') throw new Error(`commit or remove these changes first:\n${changed}`);
  const tags = git(root, 'tag', '--list', 'v*')
    .split('\n')
    .map((tag) => tag.slice(1));
  const known = tags.filter((tag) => VERSION.test(tag));
  const behind = known.find((tag) => compare(tag, version) >= 0);
  if (behind !== undefined) throw new Error(`${version} is not above ${behind}, which is released. Choose a higher version.`);
  const { version: present } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  if (compare(present, version) > 0)
    throw new Error(`${version} is below ${present}, the version of package.json. Choose a higher version.`);
  for (const [file, patterns] of Object.entries(VERSION_PLACES)) {
    const other = versionsIn(readFileSync(path.join(root, file), 'utf8'), patterns).find((found) => found !== present);
    if (other !== undefined) throw new Error(`${file} has version "${other}" and package.json ${present}. Make them equal first.`);
  }
  const [, news = ''] = readFileSync(path.join(root, 'CHANGELOG.md'), 'utf8').split(UNRELEASED);
  const [, toDo = ''] = news.split(/^## /m)[0].split(TO_DO);
  if (toDo.split(/^### /m)[0].trim() === '')
    throw new Error(`CHANGELOG.md does not say what to do: its unreleased part needs "${TO_DO.trim()}", with "Nothing." if that is so.`);
}

function compare(a, b) {
  const [left, right] = [a, b].map((version) => version.split('.').map(Number));
  const at = left.findIndex((part, index) => part !== right[index]);
  return at === -1 ? 0 : left[at] - right[at];
}

function writeVersion(root, version) {
  for (const [name, patterns] of Object.entries(VERSION_PLACES)) {
    const file = path.join(root, name);
    writeFileSync(file, withVersion(readFileSync(file, 'utf8'), patterns, version));
  }
  const file = path.join(root, 'CHANGELOG.md');
  const title = `## [${version}] - ${new Date().toISOString().slice(0, 10)}\n`;
  writeFileSync(file, readFileSync(file, 'utf8').replace(UNRELEASED, `${UNRELEASED}\n${title}`));
}

function writeSums(out, name, version) {
  const files = readdirSync(out).filter((file) => file.startsWith(`${name}-`) || file.endsWith(`-${version}.tgz`));
  const lines = files.map(
    (file) =>
      `${createHash('sha256')
        .update(readFileSync(path.join(out, file)))
        .digest('hex')}  ${file}\n`,
  );
  writeFileSync(path.join(out, SUMS), lines.join(''));
}

/** A clone without the files that are not committed. */
function clone(root, folder) {
  git('.', 'clone', '--quiet', '--shared', root, folder);
  return folder;
}

function git(cwd, ...args) {
  return run(cwd, 'git', args, { encoding: 'utf8' }).trim();
}

function run(cwd, command, args, options) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, maxBuffer: 64 * 1024 * 1024, ...options });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${error?.message ?? `${stdout ?? ''}${stderr ?? ''}`.trim()}`);
  return stdout ?? '';
}

function say(text) {
  process.stdout.write(`${text}\n`);
}
