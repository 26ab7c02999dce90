import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { existsSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import { MIN_OPEN_FILES } from '../../src/core/openFiles.ts';
import { ROOT } from '../support/tickmarkProcess.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

/** Runs tickmark in a shell with this limit of open files. */
function runWith(openFiles: number, args: string, folder: string): SpawnSyncReturns<string> {
  const script = `ulimit -n ${openFiles} && exec "${process.execPath}" "${path.join(ROOT, 'bin', 'tickmark.js')}" ${args}`;
  const env = { ...process.env, MONGODB_URI: '', PORT: '0', HOST: '127.0.0.1', DATA_DIR: folder, RUNTIME_BACKEND: 'wasm' };
  const ended = spawnSync('sh', ['-c', script], { encoding: 'utf8', env, timeout: 120_000 });
  return { ...ended, stderr: ended.stderr.replace(/^tickmark: built dist in .*\n/, '') };
}

describe('the limit of open files', function () {
  this.timeout(180_000);
  let folder: string;
  before(function () {
    if (!existsSync('/proc/self/limits')) {
      process.stdout.write('    skipped: this system has no /proc/self/limits\n');
      this.skip();
    }
    folder = temporaryFolder();
  });

  for (const limit of [128, MIN_OPEN_FILES - 1])
    it(`${limit} are refused at start, with the required number and how to get it`, () => {
      const { status, stdout, stderr } = runWith(limit, 'serve', folder);
      expect([status, stdout]).to.deep.equal([1, '']);
      expect(stderr).to.equal(
        `tickmark: this process may open ${limit} files; tickmark needs ${MIN_OPEN_FILES}, and a service 1024 or more: each connection takes one. ` +
          'Raise the limit: ulimit -n 4096 in the shell, LimitNOFILE=4096 in a unit of systemd, --ulimit nofile=4096 for Docker.\n',
      );
    });

  it(`with ${MIN_OPEN_FILES} every part of the program loads, and doctor warns`, () => {
    expect(runWith(MIN_OPEN_FILES, '--version', folder)).to.include({ status: 0, stderr: '' });
    const { stdout } = runWith(MIN_OPEN_FILES, 'doctor --json', folder);
    const { checks } = JSON.parse(stdout) as { checks: { name: string; verdict: string; detail: string }[] };
    const check = checks.find(({ name }) => name === 'open files');
    expect(check).to.include({ verdict: 'warns', detail: `${MIN_OPEN_FILES} allowed` });
    expect(checks.filter(({ verdict, name }) => verdict === 'fails' && name !== 'port')).to.deep.equal([]);
  });
});
