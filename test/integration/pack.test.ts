import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import * as path from 'node:path';
import { expect } from 'chai';
import { ROOT } from '../support/tickmarkProcess.ts';

const manifest = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
  exports: Record<string, Record<string, string> | string>;
};

// `npm run test:pack` tests the whole file in an empty project; it needs the registry.
describe('the packed file', () => {
  it('exports the client from the build folder', () => {
    const { types, default: code } = manifest.exports['./client'] as { types: string; default: string };
    const source = code.replace('./dist/', '').replace(/\.js$/, '.ts');
    expect(existsSync(path.join(ROOT, source)), source).to.equal(true);
    expect(types).to.equal(code.replace(/\.js$/, '.d.ts'));
  });

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

  it('contains a client that imports only itself at run time, so that a browser can load it', () => {
    const folder = path.join(ROOT, 'src', 'client');
    for (const name of readdirSync(folder)) {
      const text = readFileSync(path.join(folder, name), 'utf8');
      const loaded = [...text.matchAll(/^(?:import|export)\s+(?!type\b)[^;]*?from\s+'([^']+)'/gm)].map((match) => match[1] as string);
      expect(
        loaded.filter((target) => !target.startsWith('./')),
        name,
      ).to.deep.equal([]);
      expect(text, name).to.not.match(/'node:|\bBuffer\b|\bprocess\./);
    }
  });
});
