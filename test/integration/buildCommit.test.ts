import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import { ROOT } from '../support/tickmarkProcess.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

describe('the commit of a build', () => {
  let folder: string;
  beforeEach(() => {
    folder = temporaryFolder();
    mkdirSync(path.join(folder, 'src'));
    writeFileSync(path.join(folder, 'src', 'main.ts'), 'one');
    writeFileSync(path.join(folder, 'notes.md'), 'one');
  });

  const git = (...args: string[]): string =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], { cwd: folder, encoding: 'utf8' }).trim();

  function commitOf(root: string, env: Record<string, string> = {}): string {
    const script = `import { commitOf } from ${JSON.stringify(path.join(ROOT, 'bin', 'commitOf.js'))};
      process.stdout.write(commitOf(process.argv[1], ['src']));`;
    const args = ['--input-type=module', '--eval', script, root];
    return execFileSync(process.execPath, args, { encoding: 'utf8', env: { PATH: process.env['PATH'], ...env } });
  }

  it('is that of the checkout, marked if a source differs from it', () => {
    git('init', '--quiet');
    expect(commitOf(folder), 'no commit yet').to.equal('unknown');
    git('add', '--all');
    git('commit', '--quiet', '--message', 'a');
    const head = git('rev-parse', 'HEAD').slice(0, 12);
    expect(commitOf(folder)).to.equal(head);
    writeFileSync(path.join(folder, 'notes.md'), 'two');
    expect(commitOf(folder), 'another file differs').to.equal(head);
    writeFileSync(path.join(folder, 'src', 'new.ts'), 'two');
    expect(commitOf(folder)).to.equal(`${head}.dirty`);
  });

  it('is unknown without a history, and inside the history of another project', () => {
    expect(commitOf(folder)).to.equal('unknown');
    const inner = path.join(folder, 'vendor');
    mkdirSync(inner);
    cpSync(path.join(folder, 'src'), path.join(inner, 'src'), { recursive: true });
    git('init', '--quiet');
    git('add', '--all');
    git('commit', '--quiet', '--message', 'a');
    expect(commitOf(inner)).to.equal('unknown');
  });

  it('is named by REVISION where there is no history, as in an image, and by nothing that is no commit', () => {
    expect(commitOf(folder, { REVISION: '0123456789abcdef0123' })).to.equal('0123456789ab');
    for (const value of ['unknown', '', 'main', '0123 4567', 'a"b'])
      expect(commitOf(folder, { REVISION: value }), value).to.equal('unknown');
  });
});
