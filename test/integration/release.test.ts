import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import { ROOT } from '../support/tickmarkProcess.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const PERSON = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@example.com', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@example.com' };
const env = { ...process.env, ...PERSON };
const { version } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as { version: string };
const NEXT = `${Number(version.split('.')[0]) + 1}.0.0`;

const places = (): Record<string, string[]> => {
  const script = `import { VERSION_PLACES, versionsIn } from './scripts/versionPlaces.js';
    import { readFileSync } from 'node:fs';
    const found = Object.entries(VERSION_PLACES).map(([file, patterns]) => [file, versionsIn(readFileSync(file, 'utf8'), patterns)]);
    process.stdout.write(JSON.stringify(Object.fromEntries(found)));`;
  return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '--eval', script], { cwd: ROOT, encoding: 'utf8' }));
};

describe('npm run release', () => {
  let folder: string;
  let checkout: string;
  const git = (...args: string[]): string => execFileSync('git', args, { cwd: checkout, encoding: 'utf8', env }).trim();
  const release = (...args: string[]) =>
    spawnSync(process.execPath, ['scripts/release.js', ...args], { cwd: checkout, encoding: 'utf8', env });
  const write = (name: string, change: (text: string) => string): void => {
    const file = path.join(checkout, name);
    writeFileSync(file, change(readFileSync(file, 'utf8')));
  };

  /** The files that a release reads, in a history of their own. */
  before(() => {
    folder = temporaryFolder();
    checkout = path.join(folder, 'checkout');
    for (const name of [...Object.keys(places()), 'CHANGELOG.md', 'scripts/release.js', 'scripts/versionPlaces.js']) {
      mkdirSync(path.dirname(path.join(checkout, name)), { recursive: true });
      writeFileSync(path.join(checkout, name), readFileSync(path.join(ROOT, name)));
    }
    git('init', '--quiet');
    git('add', '--all');
    git('commit', '--quiet', '--message', 'a');
  });
  afterEach(() => {
    git('reset', '--quiet', '--hard');
    git('clean', '--quiet', '--force', '-d');
  });

  it('finds one version, in every place', () => {
    for (const [file, found] of Object.entries(places())) expect(new Set(found), file).to.deep.equal(new Set([version]));
  });

  it('makes tag and archive of one commit, names the commands of packages and image, and changes nothing with --dry-run', () => {
    const before = git('rev-parse', 'HEAD');
    const out = path.join(folder, 'out');
    const { status, stdout, stderr } = release(NEXT, '--dry-run', '--out', out);
    expect([status, stderr]).to.deep.equal([0, '']);
    const commit = new RegExp(`^tag v${NEXT} is commit ([0-9a-f]{40})`).exec(stdout)?.[1] ?? '';
    expect(commit).to.not.equal(before);
    expect(stdout).to.include(`REVISION=${commit} node scripts/pack.js`).and.include(`REVISION=${commit} node scripts/packClient.js`);
    expect(stdout).to.match(new RegExp(`docker buildx build --platform linux/amd64,linux/arm64 .*VERSION=${NEXT} .*REVISION=${commit} `));
    expect([git('rev-parse', 'HEAD'), git('tag'), git('status', '--porcelain')]).to.deep.equal([before, '', '']);
    const archive = `tickmark-${NEXT}-sources.tar.gz`;
    expect(readdirSync(out)).to.deep.equal(['SHA256SUMS', archive]);
    execFileSync('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], { cwd: out });
    // The archive names its commit, and has the new version in every place.
    execFileSync('tar', ['-xzf', archive], { cwd: out });
    const id = execFileSync('sh', ['-c', `gzip -dc ${archive} | git get-tar-commit-id`], { cwd: out, encoding: 'utf8' }).trim();
    expect(id).to.equal(commit);
    const inside = (name: string): string => readFileSync(path.join(out, `tickmark-${NEXT}`, name), 'utf8');
    for (const name of Object.keys(places())) {
      expect(inside(name), name).to.include(NEXT);
      if (name !== 'package-lock.json') expect(inside(name).includes(`tickmark:${version}`), name).to.equal(false);
    }
    expect(inside('CHANGELOG.md')).to.match(new RegExp(`## \\[Unreleased\\]\n\n## \\[${NEXT}\\] - \\d{4}-\\d\\d-\\d\\d\n`));
  });

  for (const [what, args, spoil, reason] of [
    ['no version', [], () => {}, 'a version such as 0.2.0'],
    ['a version of another form', ['v1.0'], () => {}, 'not "v1.0"'],
    ['a lower version', ['0.0.1'], () => {}, 'is below'],
    ['changes that are not committed', [NEXT], () => write('Dockerfile', (text) => `${text}# x\n`), 'Dockerfile'],
    ['a released version', [NEXT], () => git('tag', `v${NEXT}`), 'is released'],
    [
      'a changelog that does not say what to do',
      [NEXT],
      () => {
        write('CHANGELOG.md', (text) => text.replace('### To do at the upgrade\n', '### Other\n'));
        git('commit', '--quiet', '--all', '--message', 'b');
      },
      'To do at the upgrade',
    ],
    [
      'two versions in the files',
      [NEXT],
      () => {
        write('Dockerfile', (text) => text.replace(/^ARG VERSION=.*$/m, 'ARG VERSION=9.9.9'));
        git('commit', '--quiet', '--all', '--message', 'b');
      },
      'Dockerfile has version "9.9.9"',
    ],
  ] as const)
    it(`refuses ${what}, and leaves no tag and no file`, () => {
      const before = git('rev-parse', 'HEAD');
      try {
        spoil();
        const tags = git('tag');
        const { status, stdout, stderr } = release(...args, '--out', path.join(folder, 'none'));
        expect([status, stdout]).to.deep.equal([1, '']);
        expect(stderr)
          .to.match(/^release: /)
          .and.include(reason);
        expect([git('tag'), existsSync(path.join(folder, 'none'))]).to.deep.equal([tags, false]);
      } finally {
        git('reset', '--quiet', '--hard', before);
        spawnSync('git', ['tag', '--delete', `v${NEXT}`], { cwd: checkout });
      }
    });
});
