import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import * as path from 'node:path';
import { expect } from 'chai';
import { systemClock } from '../../src/core/Clock.ts';
import { silentLogger } from '../../src/core/Logger.ts';
import { Supervisor, type ChildRun } from '../../src/core/Supervisor.ts';
import { ROOT } from '../support/tickmarkProcess.ts';
import { until } from '../support/until.ts';

const PUPPET = path.join(ROOT, 'test', 'support', 'puppetProcess.ts');
const TSX = ['--import', 'tsx'];

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

type PuppetRun = ChildRun<string> & { readonly pid: number };

function startPuppet(how: string): PuppetRun {
  const child = fork(PUPPET, [how], { execArgv: TSX, stdio: 'ignore' });
  let heard = 0;
  child.on('message', () => void heard++);
  const ended = once(child, 'exit').then(([code, signal]) => `it ended with ${String(signal ?? code)}`);
  const ready = Promise.race([
    once(child, 'message').then(([message]) => {
      if (message !== 'ready') throw new Error(String(message));
      return String(message);
    }),
    ended.then((reason): never => {
      throw new Error(reason);
    }),
  ]);
  ready.catch(() => {});
  return {
    pid: child.pid ?? 0,
    ready,
    ended,
    get messagesReceived() {
      return heard;
    },
    isBusy: false,
    ping: () => void (child.connected && child.send('ping', () => {})),
    kill: () => void child.kill('SIGKILL'),
  };
}

describe('a supervised process', function () {
  this.timeout(60_000);
  const reasons: string[] = [];
  let supervisor: Supervisor<string, PuppetRun> | undefined;
  const keep = (hows: string[]): PuppetRun[] => {
    const runs: PuppetRun[] = [];
    reasons.length = 0;
    supervisor = new Supervisor({
      name: 'puppet',
      readyMs: 4000,
      silenceMs: 2000,
      clock: systemClock,
      logger: { ...silentLogger, error: (_message, fields) => void reasons.push(String(fields?.['reason'])) },
      start: () => {
        const run = startPuppet(hows[runs.length] ?? 'ready');
        runs.push(run);
        return run;
      },
    });
    supervisor.startInBackground();
    return runs;
  };
  afterEach(async () => {
    await supervisor?.stop();
    supervisor = undefined;
  });

  it('that exits, refuses, is never ready, loops, answers nothing or dies is replaced until one stays up', async () => {
    const runs = keep(['exit', 'refuse', 'slow', 'hang', 'mute', 'die']);
    await until(() => runs.length === 7 && supervisor?.up === runs[6]);
    expect(reasons).to.deep.equal([
      'it ended with 3',
      'refused: no device',
      'it was not ready within 4 s',
      'it did not answer for 2 s',
      'it did not answer for 2 s',
      'it ended with 4',
    ]);
    await until(() => runs.slice(0, 6).every(({ pid }) => !isAlive(pid)));
  });

  it('that is stopped by a signal is killed and replaced', async () => {
    const runs = keep([]);
    await until(() => supervisor?.up !== undefined);
    process.kill(runs[0]!.pid, 'SIGSTOP');
    await until(() => runs.length === 2 && supervisor?.up === runs[1]);
    expect(isAlive(runs[0]!.pid)).to.equal(false);
  });

  for (const how of ['ready', 'hang'])
    it(`that is ${how === 'hang' ? 'in an endless loop' : 'well'} ends with a parent that is killed`, async () => {
      const parent = spawn(process.execPath, [...TSX, path.join(ROOT, 'test', 'support', 'puppetParent.ts'), how], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const [line] = (await once(parent.stdout, 'data')) as [Buffer];
      const pid = Number(line);
      expect(isAlive(pid)).to.equal(true);
      // The loop starts right after the first message.
      if (how === 'hang') await new Promise<void>((resolve) => void systemClock.after(500, resolve, true));
      parent.kill('SIGKILL');
      await until(() => !isAlive(pid));
    });
});
