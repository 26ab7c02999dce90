import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import * as path from 'node:path';
import { expect } from 'chai';
import type { Clock } from '../../../../../src/core/Clock.ts';
import { lockRegistry } from '../../../../../src/engine/model/registry/lockRegistry.ts';
import { failureOf } from '../../../../support/versionFolders.ts';

describe('lockRegistry', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'tickmark-lock-'));
  const lock = path.join(folder, 'registry.lock');
  /** A clock on which waiting takes no time. `meanwhile` runs during the first wait. */
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

  it('holds the lock during the action, names its process in it, and releases it even after an error', async () => {
    const seen = await lockRegistry(folder, quickClock(), () => readFileSync(lock, 'utf8'));
    expect(seen).to.equal(`${process.pid} on ${hostname()}\n`);
    const failing = lockRegistry(folder, quickClock(), () => {
      throw new Error('it fails');
    });
    expect(await failing.catch((error: Error) => error.message)).to.equal('it fails');
    expect(existsSync(lock)).to.equal(false);
  });

  it('never acts while another process holds the lock, and names that process after the wait', async () => {
    mkdirSync(folder);
    hold(process.ppid);
    let acted = 0;
    const { code, message } = await failureOf(() => lockRegistry(folder, quickClock(), () => acted++));
    expect([code, acted, message.includes(String(process.ppid))]).to.deep.equal(['model.registry_busy', 0, true]);
    expect(existsSync(lock)).to.equal(true);
  });

  it('acts after the other process has released the lock', async () => {
    mkdirSync(folder);
    hold(process.ppid);
    expect(await lockRegistry(folder, quickClock(() => rmSync(lock)), () => 'done')).to.equal('done'); // prettier-ignore
  });

  it('takes over the lock of a process that no longer runs', async () => {
    mkdirSync(folder);
    hold(spawnSync('true').pid);
    expect(await lockRegistry(folder, quickClock(), () => 'done')).to.equal('done');
  });

  it('keeps the lock of another machine until it is ten minutes old', async () => {
    mkdirSync(folder);
    hold(1, 'another.example');
    expect((await failureOf(() => lockRegistry(folder, quickClock(), () => 0))).code).to.equal('model.registry_busy');
    utimesSync(lock, Date.now() / 1000 - 601, Date.now() / 1000 - 601);
    expect(await lockRegistry(folder, quickClock(), () => 'done')).to.equal('done');
  });

  it('fails with its code if the folder cannot be created', async () => {
    writeFileSync(folder, '');
    expect((await failureOf(() => lockRegistry(folder, quickClock(), () => 0))).code).to.equal('file.unwritable');
  });
});
