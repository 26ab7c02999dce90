import { expect } from 'chai';
import { silentLogger } from '../../../src/core/Logger.ts';
import { Supervisor, type ChildRun } from '../../../src/core/Supervisor.ts';
import { FakeClock } from '../../support/FakeClock.ts';

type Puppet = ChildRun<string> & { messagesReceived: number; isBusy: boolean; isKilled: boolean; pings: number } & {
  rise(): Promise<void>;
  refuse(reason: string): Promise<void>;
  end(reason: string): Promise<void>;
};

const settle = async (): Promise<void> => {
  for (let i = 0; i < 10; i++) await Promise.resolve();
};

/** A fake process that the test controls. It ends when killed, unless it is unkillable. */
function makePuppet(canBeKilled = true): Puppet {
  let rise = (_: string): void => {};
  let refuse = (_: Error): void => {};
  let end = (_: string): void => {};
  const ready = new Promise<string>((resolve, reject) => ([rise, refuse] = [resolve, reject]));
  const ended = new Promise<string>((resolve) => (end = resolve));
  ready.catch(() => {});
  const finish = (reason: string): void => {
    refuse(new Error(reason));
    end(reason);
  };
  return {
    ready,
    ended,
    messagesReceived: 0,
    isBusy: false,
    isKilled: false,
    pings: 0,
    ping() {
      this.pings++;
    },
    kill() {
      this.isKilled = true;
      if (canBeKilled) finish('SIGKILL');
    },
    rise: () => (rise('here'), settle()),
    refuse: (reason) => (refuse(new Error(reason)), settle()),
    end: (reason) => (finish(reason), settle()),
  };
}

function makeRig({
  jitter = 1,
  canBeKilled = true,
  failToStart = () => false,
}: { jitter?: number; canBeKilled?: boolean; failToStart?: () => boolean } = {}) {
  const clock = new FakeClock();
  const puppets: Puppet[] = [];
  const logged: { message: string; reason: string; restartInMs: number }[] = [];
  const changes: string[] = [];
  const supervisor = new Supervisor<string, Puppet>({
    name: 'puppet',
    readyMs: 60_000,
    silenceMs: 5000,
    clock,
    logger: {
      ...silentLogger,
      error: (message, fields) => void logged.push({ message, ...(fields as { reason: string; restartInMs: number }) }),
    },
    jitter: () => jitter,
    onUp: () => void changes.push('up'),
    onDown: () => void changes.push('down'),
    start: () => {
      if (failToStart()) throw new Error('spawn ENOMEM');
      const puppet = makePuppet(canBeKilled);
      puppets.push(puppet);
      return puppet;
    },
  });
  const advance = async (ms: number): Promise<void> => {
    clock.advance(ms);
    await settle();
  };
  return { supervisor, puppets, clock, logged, changes, advance, last: () => puppets.at(-1)! };
}

async function risen(options: Parameters<typeof makeRig>[0] = {}): Promise<ReturnType<typeof makeRig>> {
  const rig = makeRig(options);
  const started = rig.supervisor.start();
  await rig.last().rise();
  expect(await started).to.equal('here');
  return rig;
}

describe('Supervisor', () => {
  it('start: resolves when the process is ready', async () => {
    const { supervisor, puppets, changes } = await risen();
    expect([supervisor.up, changes]).to.deep.equal([puppets[0], ['up']]);
  });

  it('refusal: the first start throws the reason, kills the process and starts no other one', async () => {
    const { supervisor, puppets, last, advance } = makeRig();
    const started = supervisor.start().catch((error: Error) => error.message);
    await last().refuse('no device');
    expect([await started, last().isKilled]).to.deep.equal(['no device', true]);
    await advance(60_000);
    expect(puppets).to.have.lengthOf(1);
  });

  it('slow: a first start that is not ready in time is killed, and the error says so', async () => {
    const { supervisor, last, advance } = makeRig();
    const started = supervisor.start().catch((error: Error) => error.message);
    await advance(60_000);
    expect([await started, last().isKilled]).to.deep.equal(['it was not ready within 60 s', true]);
  });

  it('exit: restarts after a backoff that doubles up to 10 s, and from the first value after a minute without failure', async () => {
    const { puppets, last, advance, logged, changes, supervisor } = await risen();
    for (const pauseMs of [100, 200, 400]) {
      const count = puppets.length;
      await last().end('exit code 1');
      expect(supervisor.up).to.equal(undefined);
      await advance(pauseMs - 1);
      expect(puppets).to.have.lengthOf(count);
      await advance(1);
      expect(puppets).to.have.lengthOf(count + 1);
      await last().rise();
    }
    expect(changes.slice(0, 3)).to.deep.equal(['up', 'down', 'up']);
    expect(logged[0]).to.deep.equal({ message: 'puppet failed', reason: 'exit code 1', restartInMs: 100 });
    for (let i = 0; i < 61; i++) {
      last().messagesReceived++;
      await advance(1000);
    }
    await last().end('exit code 1');
    expect(logged.at(-1)?.restartInMs).to.equal(100);
    for (let i = 0; i < 12; i++) {
      await advance(10_000);
      await last().end('exit code 1');
    }
    expect(logged.at(-1)?.restartInMs, 'never more than 10 s').to.equal(10_000);
  });

  it('jitter: the delay is between half of the backoff and all of it', async () => {
    for (const [jitter, pauseMs] of [[0, 50] as const, [0.5, 75] as const]) {
      const { last, logged } = await risen({ jitter });
      await last().end('x');
      expect(logged[0]?.restartInMs).to.equal(pauseMs);
    }
  });

  it('never gives up: a start that throws or is refused is retried, also for a first start in the background', async () => {
    let failing = true;
    const { supervisor, puppets, advance, last, logged } = makeRig({ failToStart: () => failing });
    supervisor.startInBackground();
    await settle();
    for (let i = 0; i < 30; i++) await advance(10_000);
    expect(logged).to.have.lengthOf(31);
    expect(logged[0]?.reason).to.equal('spawn ENOMEM');
    failing = false;
    await advance(10_000);
    await last().refuse('no device');
    await advance(10_000);
    expect(puppets).to.have.lengthOf(2);
    await last().rise();
    expect(supervisor.up).to.equal(last());
  });

  it('hang: a process that answers no ping is killed after the silence limit and restarted', async () => {
    const { supervisor, puppets, advance, logged } = await risen();
    for (let i = 0; i < 30; i++) {
      puppets[0].messagesReceived++;
      await advance(1000);
    }
    expect([puppets[0].pings, puppets[0].isKilled]).to.deep.equal([31, false]);
    for (let i = 0; i < 4; i++) await advance(1000);
    expect(puppets[0].isKilled).to.equal(false);
    await advance(1000);
    expect([puppets[0].isKilled, supervisor.up]).to.deep.equal([true, undefined]);
    expect(logged[0]?.reason).to.equal('it did not answer for 5 s');
    await advance(100);
    expect(puppets).to.have.lengthOf(2);
  });

  it('does not mistake a block of its own process for silence of the child', async () => {
    const { puppets, advance } = await risen();
    await advance(60_000);
    expect(puppets[0].isKilled).to.equal(false);
  });

  it('allows silence while the process runs a task with its own time limit', async () => {
    const { puppets, advance } = await risen();
    puppets[0].isBusy = true;
    for (let i = 0; i < 60; i++) await advance(1000);
    expect(puppets[0].isKilled).to.equal(false);
  });

  it('replaces a process that cannot be killed', async () => {
    const { puppets, advance } = await risen({ canBeKilled: false });
    for (let i = 0; i < 5; i++) await advance(1000);
    await advance(100);
    expect(puppets).to.have.lengthOf(2);
  });

  it('stop: calls ask, waits for the end, kills after the limit, and restarts nothing', async () => {
    const { supervisor, puppets, advance } = await risen();
    let isOver = false;
    const asked: Puppet[] = [];
    void supervisor.stop((run) => void asked.push(run), 10_000).then(() => (isOver = true));
    await settle();
    expect([asked, isOver]).to.deep.equal([[puppets[0]], false]);
    await advance(10_000);
    expect([puppets[0].isKilled, isOver]).to.deep.equal([true, true]);
    await advance(60_000);
    expect(puppets).to.have.lengthOf(1);
  });

  it('stop: kills a process that is not ready yet, without calling ask', async () => {
    const { supervisor, last } = makeRig();
    supervisor.startInBackground();
    await settle();
    await supervisor.stop(() => expect.fail('ask was called'), 10_000);
    expect(last().isKilled).to.equal(true);
  });

  it('stop: cancels a pending restart, and a start in progress', async () => {
    const waiting = await risen();
    await waiting.last().end('x');
    await waiting.supervisor.stop();
    await waiting.advance(60_000);
    expect(waiting.puppets).to.have.lengthOf(1);
    const starting = await risen();
    await starting.last().end('x');
    await starting.advance(100);
    await starting.supervisor.stop();
    await starting.advance(60_000);
    expect([starting.puppets.length, starting.last().isKilled]).to.deep.equal([2, true]);
  });
});
