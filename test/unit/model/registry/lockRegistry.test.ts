import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import * as path from 'node:path';
import { expect } from 'chai';
import type { Clock } from '../../../../src/core/Clock.ts';
import { lockRegistry } from '../../../../src/model/registry/lockRegistry.ts';
import { failureOf } from '../../../support/versionFolders.ts';

describe('lockRegistry', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'tickmark-lock-'));
  const lock = path.join(folder, 'registry.lock');
  /** Waiting takes no time. `meanwhile` is what happens during the first wait. */
  const quickClock = (meanwhile: () => void = () => {}): Clock => {
    let waitedMs = 0;
    return {
      nowMs: () => Date.now(),
      monotonicMs: () => waitedMs,
      after(delayMs, run) {
        if (waitedMs === 0) meanwhile();
        waitedMs += delayMs;
        queueMicrotask(run);
        return () => {};
      },
    };
  };
  const hold = (pid: number, host = hostname()): void => writeFileSync(lock, `${pid} on ${host}\n`);

  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('holds the lock while it acts, names its process, and lets go, whatever comes of it', async () => {
    const seen = await lockRegistry(folder, quickClock(), () => readFileSync(lock, 'utf8'));
    expect(seen).to.equal(`${process.pid} on ${hostname()}\n`);
    const failing = lockRegistry(folder, quickClock(), () => {
      throw new Error('it fails');
    });
    expect(await failing.catch((error: Error) => error.message)).to.equal('it fails');
    expect(existsSync(lock)).to.equal(false);
  });

  it('never acts beside another process, and says whose lock it is when it has waited', async () => {
    mkdirSync(folder);
    hold(process.ppid);
    let acted = 0;
    const { code, message } = await failureOf(() => lockRegistry(folder, quickClock(), () => acted++));
    expect([code, acted, message.includes(String(process.ppid))]).to.deep.equal(['model.registry_busy', 0, true]);
    expect(existsSync(lock)).to.equal(true);
  });

  it('acts once the other has let go', async () => {
    mkdirSync(folder);
    hold(process.ppid);
    expect(await lockRegistry(folder, quickClock(() => rmSync(lock)), () => 'done')).to.equal('done'); // prettier-ignore
  });

  it('takes over the lock of a process that is gone', async () => {
    mkdirSync(folder);
    hold(spawnSync('true').pid);
    expect(await lockRegistry(folder, quickClock(), () => 'done')).to.equal('done');
  });

  it('leaves the lock of another machine alone until it is ten minutes old', async () => {
    mkdirSync(folder);
    hold(1, 'another.example');
    expect((await failureOf(() => lockRegistry(folder, quickClock(), () => 0))).code).to.equal('model.registry_busy');
    utimesSync(lock, Date.now() / 1000 - 601, Date.now() / 1000 - 601);
    expect(await lockRegistry(folder, quickClock(), () => 'done')).to.equal('done');
  });

  it('fails with its code where the folder cannot be made', async () => {
    writeFileSync(folder, '');
    expect((await failureOf(() => lockRegistry(folder, quickClock(), () => 0))).code).to.equal('file.unwritable');
  });
});
