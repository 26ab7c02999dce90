import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import { keepOutput } from '../support/serviceLogs.ts';
import { ROOT } from '../support/tickmarkProcess.ts';
import { until } from '../support/until.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

/** Starts a service in the background, in a session of its own and without its parent, and writes both process ids. */
const TEST = `
  import { spawnSync } from 'node:child_process';
  import { existsSync, readFileSync, writeFileSync } from 'node:fs';
  it('runs until the test of this test ends it', async () => {
    const start = "const { pid } = require('child_process').spawn('sleep', ['600'], { detached: true, stdio: 'ignore' }); console.log(pid); process.exit()";
    const service = Number(spawnSync(process.execPath, ['-e', start], { encoding: 'utf8' }).stdout);
    writeFileSync(process.env.PIDS, JSON.stringify({ tests: process.pid, service }));
    while (!existsSync(process.env.END)) await new Promise((resolve) => setTimeout(resolve, 20));
  });
`;

const isStopped = (pid: number): boolean => / T /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));

function runTool(args: readonly string[], env: Record<string, string> = {}): ChildProcess {
  const all = ['--import', 'tsx', path.join('scripts', 'testStalls.ts'), ...args];
  return spawn(process.execPath, all, { cwd: ROOT, env: { ...process.env, ...env } });
}

(process.platform === 'linux' ? describe : describe.skip)('npm run test:stalls', () => {
  let folder: string;
  let pids: { tests: number; service: number } | undefined;
  let tool: ChildProcess | undefined;
  beforeEach(() => (folder = temporaryFolder()));
  afterEach(async () => {
    writeFileSync(path.join(folder, 'end'), '');
    if (tool?.exitCode === null) await once(tool, 'close');
    if (pids !== undefined) process.kill(pids.service, 'SIGKILL');
    [tool, pids] = [undefined, undefined];
  });

  async function start(...options: string[]): Promise<{ tests: number; service: number; ended: Promise<number | null> }> {
    const [file, PIDS] = [path.join(folder, 'some.test.mjs'), path.join(folder, 'pids')];
    writeFileSync(file, TEST);
    const child = (tool = runTool(['--stop', '0.3', '--every', '0.6', ...options, file], { PIDS, END: path.join(folder, 'end') }));
    keepOutput('the tool', child);
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
    await until(() => existsSync(PIDS) && readFileSync(PIDS, 'utf8').endsWith('}'));
    pids = JSON.parse(readFileSync(PIDS, 'utf8')) as { tests: number; service: number };
    return { ...pids, ended };
  }

  for (const [what, args, stopsTests, stopsService] of [
    ['the tests and what they have started', [], true, true],
    ['only the tests', ['--only', 'tests'], true, false],
    ['only the services', ['--only', 'services'], false, true],
  ] as const)
    it(`stops ${what}, again and again, and ends as mocha does`, async () => {
      const { tests, service, ended } = await start(...args);
      for (let i = 0; i < 2; i++) {
        await until(() => isStopped(tests) === stopsTests && isStopped(service) === stopsService);
        await until(() => !isStopped(tests) && !isStopped(service));
      }
      writeFileSync(path.join(folder, 'end'), '');
      expect(await ended).to.equal(0);
      await until(() => !isStopped(service));
    });

  it('continues what it has stopped on Ctrl-C', async () => {
    const { service, ended } = await start();
    await until(() => isStopped(service));
    tool?.kill('SIGINT');
    expect(await ended).to.not.equal(0);
    await until(() => !isStopped(service));
  });

  it('refuses a stop that is longer than the time between two stops', () => {
    const args = ['--import', 'tsx', 'scripts/testStalls.ts', '--stop', '7'];
    const { status, stderr } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
    expect(stderr).to.contain('--stop is more than 0 and less than --every');
    expect(status).to.equal(2);
  });
});
