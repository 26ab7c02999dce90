import { spawn, spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const TSCONFIG = {
  compilerOptions: {
    target: 'es2023',
    module: 'nodenext',
    rewriteRelativeImportExtensions: true,
    verbatimModuleSyntax: true,
    sourceMap: true,
  },
  include: ['src', 'training'],
  exclude: ['src/console'],
};

/** A project of three files with the bin folder of this project. */
function makeProject({ withTypeScript = true } = {}): string {
  const root = temporaryFolder();
  cpSync(path.join(ROOT, 'bin'), path.join(root, 'bin'), { recursive: true });
  mkdirSync(path.join(root, 'src', 'deep'), { recursive: true });
  if (withTypeScript) {
    mkdirSync(path.join(root, 'node_modules'));
    symlinkSync(path.join(ROOT, 'node_modules', 'typescript'), path.join(root, 'node_modules', 'typescript'));
  }
  writeFileSync(path.join(root, 'package.json'), JSON.stringify({ name: 'tiny', type: 'module' }));
  writeFileSync(path.join(root, 'tsconfig.build.json'), JSON.stringify(TSCONFIG));
  writeFileSync(path.join(root, 'src', 'main.ts'), "import { word } from './deep/word.ts';\nprocess.stdout.write(`says ${word}`);\n");
  writeWord(root, 'one');
  return root;
}

/** Adds a small console with an engine, and its bundler. */
function addConsole(root: string): void {
  for (const name of ['esbuild', '@esbuild']) symlinkSync(path.join(ROOT, 'node_modules', name), path.join(root, 'node_modules', name));
  const from = path.join(root, 'src', 'console');
  for (const folder of ['worker', 'styles', 'api', 'page']) mkdirSync(path.join(from, folder), { recursive: true });
  for (const [name, text] of Object.entries({
    'index.html':
      '<script src="%THEME%"></script><script src="%MAIN%"></script><link href="%STYLE%"><a href="%WORKER%"></a><a href="%REPLAY%"></a><a href="%ENGINE%"></a>%view.html%',
    'page/view.html': '<img src="%ICON%">',
    'icon.svg': '<svg/>',
    'theme.ts': 'export {};',
    'main.ts': "import { word } from './word.ts';\ndocument.title = word;",
    'word.ts': "export const word: string = 'first';",
    'worker/tickWorker.ts': 'postMessage(1);',
    'worker/replayWorker.ts': 'postMessage(2);',
    'worker/openPageEngine.ts': 'export {};',
    'styles/console.css': 'p { color: red }',
    'api/docs.ts': 'document.title = location.hash;',
    'styles/docs.css': 'p { color: green }',
  }))
    writeFileSync(path.join(from, name), text);
}

/** Folders of builds, the newest last. */
const builds = (root: string): string[] =>
  readdirSync(root)
    .filter((name) => /^dist\.[0-9a-f]{16}$/.test(name))
    .map((name) => path.join(root, name))
    .sort((a, b) => statSync(a).mtimeMs - statSync(b).mtimeMs);
const newest = (root: string): string => builds(root).at(-1) as string;

const consoleFiles = (root: string): string[] => readdirSync(path.join(newest(root), 'console')).sort();

const writeWord = (root: string, word: string): void =>
  writeFileSync(path.join(root, 'src', 'deep', 'word.ts'), `export const word: string = '${word}';\n`);

const start = (root: string) => spawnSync(process.execPath, ['bin/tickmark.js'], { cwd: root, encoding: 'utf8' });

function startAsync(root: string): Promise<{ code: number | null; stdout: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ['bin/tickmark.js'], { cwd: root, stdio: ['ignore', 'pipe', 'ignore'] });
    let stdout = '';
    child.stdout.on('data', (text) => (stdout += text));
    child.on('close', (code) => resolve({ code, stdout }));
  });
}

const leftovers = (root: string): string[] => readdirSync(root).filter((name) => name.startsWith('dist.draft'));

describe('the start command', function () {
  this.timeout(300_000);
  it('builds what is missing, says so in one line, and rebuilds only if the content has changed', () => {
    const root = makeProject();
    const first = start(root);
    expect([first.status, first.stdout]).to.deep.equal([0, 'says one']);
    expect(first.stderr).to.match(/^tickmark: built dist in \d+\.\d s\n$/);
    // File times are ignored, also in the past or the future.
    utimesSync(path.join(root, 'src', 'main.ts'), 1, 1);
    utimesSync(path.join(root, 'src', 'deep', 'word.ts'), 4e9, 4e9);
    expect(start(root).stderr).to.equal('');
    writeWord(root, 'two');
    utimesSync(path.join(root, 'src', 'deep', 'word.ts'), 1, 1);
    const changed = start(root);
    expect([changed.stdout, changed.stderr.startsWith('tickmark: built')]).to.deep.equal(['says two', true]);
    expect(leftovers(root)).to.deep.equal([]);
  });

  it('does not accept an interrupted build as complete', () => {
    const root = makeProject();
    start(root);
    renameSync(newest(root), path.join(root, 'dist.draft-999999999'));
    expect(start(root).stdout).to.equal('says one');
    expect(leftovers(root)).to.deep.equal([]);
  });

  it('builds once if several processes start at the same time', async () => {
    const root = makeProject();
    const ends = await Promise.all([startAsync(root), startAsync(root), startAsync(root)]);
    expect(ends).to.deep.equal(Array(3).fill({ code: 0, stdout: 'says one' }));
    expect(leftovers(root)).to.deep.equal([]);
  });

  it('leaves a running process the build that it was started with, with its data, and removes builds that none runs', async () => {
    const root = makeProject();
    mkdirSync(path.join(root, 'rules'));
    writeFileSync(path.join(root, 'rules', 'word.json'), '"ruled"');
    writeFileSync(
      path.join(root, 'src', 'main.ts'),
      `import { readFileSync } from 'node:fs';
      process.stdout.write('waits ');
      process.stdin.once('data', async () => {
        const { word } = await import('./deep/word.ts');
        process.stdout.write(word + ' ' + readFileSync(new URL('../rules/word.json', import.meta.url), 'utf8'));
        process.stdin.destroy();
      });`,
    );
    const child = spawn(process.execPath, ['bin/tickmark.js'], { cwd: root, stdio: ['pipe', 'pipe', 'ignore'] });
    let stdout = '';
    await new Promise((resolve) => child.stdout.on('data', (text) => resolve((stdout += text))));
    const held = newest(root);
    // Three builds that are newer, and an unused one that is not.
    for (const [at, digit] of ['1', 'a', 'b', 'c'].entries()) {
      const made = path.join(root, `dist.${digit.repeat(16)}`);
      mkdirSync(path.join(made, 'used-by'), { recursive: true });
      utimesSync(made, at === 0 ? 1 : 4e9, at === 0 ? 1 : 4e9);
    }
    writeFileSync(path.join(root, 'src', 'main.ts'), "process.stdout.write('new');\n");
    writeWord(root, 'two');
    writeFileSync(path.join(root, 'rules', 'word.json'), '"changed"');
    expect(start(root).stdout).to.equal('new');
    expect(builds(root))
      .to.include(held)
      .and.not.include(path.join(root, `dist.${'1'.repeat(16)}`));
    const closed = new Promise((resolve) => child.once('close', resolve));
    child.stdin.write('go');
    await closed;
    expect(stdout).to.equal('waits one "ruled"');
    writeWord(root, 'three');
    start(root);
    expect(builds(root)).to.not.include(held);
    expect(leftovers(root)).to.deep.equal([]);
  });

  it('starts while other processes remove old builds', async () => {
    const root = makeProject();
    start(root);
    for (let at = 0; at < 40; at++) {
      const made = path.join(root, `dist.${String(at).padStart(16, '0')}`);
      mkdirSync(path.join(made, 'used-by'), { recursive: true });
      utimesSync(made, 1, 1);
    }
    // One without a record of its processes.
    mkdirSync(path.join(root, `dist.${'f'.repeat(16)}`));
    utimesSync(path.join(root, `dist.${'f'.repeat(16)}`), 1, 1);
    writeWord(root, 'two');
    const ends = await Promise.all([startAsync(root), startAsync(root), startAsync(root)]);
    expect(ends).to.deep.equal(Array(3).fill({ code: 0, stdout: 'says two' }));
    expect(leftovers(root)).to.deep.equal([]);
    expect(builds(root)).to.have.length.below(5);
  });

  it('keeps the old build and shows the position if the sources do not parse', () => {
    const root = makeProject();
    start(root);
    const before = builds(root);
    writeFileSync(path.join(root, 'src', 'deep', 'word.ts'), 'export const word = ;\n');
    const { status, stdout, stderr } = start(root);
    expect([status, stdout]).to.deep.equal([1, '']);
    expect(stderr)
      .to.include('src/deep/word.ts(1,21)')
      .and.not.match(/\n\s+at /);
    expect(builds(root)).to.deep.equal(before);
    expect(leftovers(root)).to.deep.equal([]);
  });

  it('bundles the console under names with a content hash, with a compressed copy of each file', () => {
    const root = makeProject();
    addConsole(root);
    expect(start(root).stdout).to.equal('says one');
    const first = consoleFiles(root);
    expect(
      first
        .filter((name) => !/\.(gz|br)$/.test(name))
        .map((name) => name.replace(/[0-9a-f]{16}|[0-9A-Z]{8}/, 'HASH'))
        .sort(),
    ).to.deep.equal([
      'console.HASH.css',
      'docs.HASH.css',
      'docs.HASH.js',
      'engine.HASH.js',
      'icon.HASH.svg',
      'index.html',
      'main.HASH.js',
      'replayWorker.HASH.js',
      'theme.HASH.js',
      'tickWorker.HASH.js',
    ]);
    expect(first).to.have.length(30);
    const page = readFileSync(path.join(newest(root), 'console', 'index.html'), 'utf8');
    for (const [, name = ''] of page.matchAll(/"\/console\/([^"]+)"/g)) expect(first).to.include(name);
    expect(page).to.not.include('%');
    writeFileSync(path.join(root, 'src', 'console', 'word.ts'), "export const word: string = 'second';");
    start(root);
    const changed = consoleFiles(root).filter((name) => !first.includes(name));
    expect(changed.map((name) => name.replace(/[0-9a-f]{16}|[0-9A-Z]{8}/, 'HASH'))).to.deep.equal([
      'main.HASH.js',
      'main.HASH.js.br',
      'main.HASH.js.gz',
    ]);
  });

  it('shows the position if the console does not parse, and requests npm ci if its bundler is not installed', () => {
    const root = makeProject();
    addConsole(root);
    writeFileSync(path.join(root, 'src', 'console', 'word.ts'), "export const word = ';");
    const { status, stderr } = start(root);
    expect([status, stderr.includes('src/console/word.ts:1:')]).to.deep.equal([1, true]);
    rmSync(path.join(root, 'node_modules', 'esbuild'));
    expect(start(root).stderr).to.include('npm ci');
  });

  it('requests npm ci if TypeScript is not installed', () => {
    const { status, stderr } = start(makeProject({ withTypeScript: false }));
    expect([status, stderr.includes('npm ci')]).to.deep.equal([1, true]);
  });

  it('never builds in an installed package, which has no sources', () => {
    const root = makeProject();
    // A folder of files that the package has once, next to code that only `dist` has.
    const baselines = path.join(root, 'training', 'baselines');
    mkdirSync(baselines, { recursive: true });
    writeFileSync(path.join(baselines, 'pip.txt'), '');
    writeFileSync(path.join(baselines, 'word.ts'), "export const word: string = 'one';");
    writeFileSync(path.join(root, 'src', 'deep', 'word.ts'), "export { word } from '../../training/baselines/word.ts';");
    expect(spawnSync(process.execPath, ['bin/build.js'], { cwd: root }).status).to.equal(0);
    // The package has these once, and no record of processes.
    expect(readdirSync(path.join(root, 'dist')))
      .to.include('src')
      .and.not.include.members(['package.json', 'used-by']);
    expect(readdirSync(path.join(root, 'dist', 'training', 'baselines'))).to.deep.equal(['word.js', 'word.js.map']);
    rmSync(path.join(root, 'src'), { recursive: true });
    for (const build of builds(root)) rmSync(build, { recursive: true });
    const { stdout, stderr } = start(root);
    expect([stdout, stderr, builds(root)]).to.deep.equal(['says one', '', []]);
    rmSync(path.join(root, 'dist'), { recursive: true });
    expect(start(root).stderr).to.include('Install tickmark again');
  });
});
