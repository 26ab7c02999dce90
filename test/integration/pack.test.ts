import { execFileSync } from 'node:child_process';
import { expect } from 'chai';
import { ROOT } from '../support/tickmarkProcess.ts';

// `npm run test:pack` tests the whole file in an empty project; it needs the registry.
describe('the packed file', () => {
  it('contains no tests, benches or sources', () => {
    const listed = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
      cwd: ROOT,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [{ files }] = JSON.parse(listed) as [{ files: { path: string }[] }];
    const names = files.map((file) => file.path);
    expect(names).to.include.members(['package.json', 'README.md', 'bin/tickmark.js', 'training/baselines/baselines.py']);
    expect(names.filter((name) => /^(test|bench|src|scripts|clients)\/|\.test\.|(?<!\.d)\.ts$|\.log$/.test(name))).to.deep.equal([]);
  });
});
