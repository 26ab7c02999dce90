import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { expect } from 'chai';
import { ServiceError } from '../../../../../src/core/ServiceError.ts';
import { followBackups, noteBackup } from '../../../../../src/service/app/backup/lastBackup.ts';
import { FakeClock } from '../../../../support/FakeClock.ts';
import { MemoryStore } from '../../../../support/MemoryStore.ts';
import { sampleEvent } from '../../../../support/sampleAccount.ts';

const MONGO = { mongodbUri: 'mongodb://db.example.com', dataDir: '/nowhere' };
const MINUTE_MS = 60_000;

describe('the last backup', () => {
  it('knows the last backup of the store within a minute, and keeps it while the store does not answer', async () => {
    const [store, clock] = [new MemoryStore(), new FakeClock()];
    const last = await followBackups(store, clock);
    expect(last.atMs).to.equal(0);
    expect(await noteBackup(store, MONGO, clock)).to.equal(undefined);
    await store.appendEvent(sampleEvent('e', 'a'));
    const madeMs = clock.nowMs();
    clock.advance(MINUTE_MS);
    await new Promise(setImmediate);
    expect(last.atMs).to.equal(madeMs);
    store.failure = new ServiceError('store.unavailable', 'The account store does not answer.');
    clock.advance(MINUTE_MS);
    await new Promise(setImmediate);
    expect(last.atMs).to.equal(madeMs);
    last.close();
    const { calls } = store;
    clock.advance(10 * MINUTE_MS);
    expect(store.calls).to.equal(calls);
  });

  it('says why a backup cannot be noted', async () => {
    const [store, clock] = [new MemoryStore(), new FakeClock()];
    const folder = mkdtempSync(path.join(tmpdir(), 'tickmark-note-'));
    // The file is missing, as one that cannot be written.
    expect(await noteBackup(store, { mongodbUri: '', dataDir: folder }, clock)).to.equal(`${folder} cannot be written.`);
    rmSync(folder, { recursive: true });
    store.failure = new ServiceError('store.unavailable', 'The account store does not answer.');
    expect(await noteBackup(store, MONGO, clock)).to.equal('The account store does not answer.');
    expect(store.events).to.deep.equal([]);
  });
});
