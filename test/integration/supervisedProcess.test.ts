import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'chai';
import { silentLogger } from '../../src/core/Logger.ts';
import { Supervisor, type ChildRun } from '../../src/core/Supervisor.ts';
import { bundleScript } from '../support/bundleScript.ts';
import { FakeClock } from '../support/FakeClock.ts';
import { until } from '../support/until.ts';

const [PUPPET = '', PARENT = ''] = await Promise.all(['test/support/puppetProcess.ts', 'test/support/puppetParent.ts'].map(bundleScript));

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

type PuppetRun = ChildRun<string> & { readonly pid: number; readonly lastMessage: unknown };

function startPuppet(how: string): PuppetRun {
  const child = fork(PUPPET, [how], { execArgv: [], stdio: 'ignore' });
  let [heard, lastMessage] = [0, undefined as unknown];
  child.on('message', (message) => {
    heard++;
    lastMessage = message;
  });
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
    get lastMessage() {
      return lastMessage;
    },
    isBusy: false,
    ping: () => void (child.connected && child.send('ping', () => {})),
    kill: () => void child.kill('SIGKILL'),
  };
}

/** At least the longest backoff. */
const BACKOFF_MS = 10_000;
const CHECK_MS = 1000;

describe('a supervised process', () => {
  let clock: FakeClock;
  const reasons: string[] = [];
  let supervisor: Supervisor<string, PuppetRun> | undefined;
  const keep = (hows: string[]): PuppetRun[] => {
    const runs: PuppetRun[] = [];
    reasons.length = 0;
    clock = new FakeClock();
    supervisor = new Supervisor({
      name: 'puppet',
      readyMs: 4000,
      silenceMs: 2000,
      clock,
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
    const stopped = supervisor?.stop();
    clock.advance(0);
    await stopped;
    supervisor = undefined;
  });
  const isUp = (run: PuppetRun | undefined) => (): boolean => run !== undefined && supervisor?.up === run;
  const passChecksUntilFailed = (count: number): Promise<void> =>
    until(() => {
      clock.advance(CHECK_MS);
      return reasons.length === count;
    });

  it('that refuses, loops or dies is killed and replaced, and one that is stopped by a signal', async () => {
    const runs = keep(['refuse', 'hang', 'die']);
    const restart = async (): Promise<void> => {
      const count = runs.length;
      await until(() => reasons.length === count);
      clock.advance(BACKOFF_MS);
      expect(runs).to.have.length(count + 1);
    };
    await restart();
    await until(() => runs[1]?.lastMessage === 'hangs');
    await until(isUp(runs[1]));
    await passChecksUntilFailed(2);
    await restart();
    await restart();
    await until(isUp(runs[3]));
    for (let i = 0; i < 3; i++) {
      const heard = runs[3].messagesReceived;
      clock.advance(CHECK_MS);
      await until(() => runs[3].messagesReceived > heard);
    }
    process.kill(runs[3].pid, 'SIGSTOP');
    await passChecksUntilFailed(4);
    await restart();
    await until(isUp(runs[4]));
    expect(reasons).to.deep.equal(['refused: no device', 'it did not answer for 2 s', 'it ended with 4', 'it did not answer for 2 s']);
    await until(() => runs.slice(0, 4).every(({ pid }) => !isAlive(pid)));
  });

  it('that is in an endless loop ends with a parent that is killed', async () => {
    const parent = spawn(process.execPath, [PARENT, PUPPET, 'hang'], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = (await once(parent.stdout, 'data')) as [Buffer];
    const pid = Number(line);
    expect(isAlive(pid)).to.equal(true);
    parent.kill('SIGKILL');
    await until(() => !isAlive(pid));
  });
});
