import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { createInterface } from 'node:readline';
import { expect } from 'chai';
import type { AccountStore } from '../../src/service/accounts/AccountStore.ts';
import { openMongo } from '../../src/service/accounts/openMongo.ts';
import { openSqliteStore } from '../../src/service/accounts/openSqliteStore.ts';
import { bundleScript } from '../support/bundleScript.ts';
import { ownMongoServer } from '../support/eachStore.ts';
import { startMongoServer, type MongoServer } from '../support/mongoServer.ts';
import { openNamedStore } from '../support/openNamedStore.ts';
import { sampleAccount, sampleDigest, sampleEvent } from '../support/sampleAccount.ts';

const KILLS = 10;
/** Acknowledged sign-ups before each kill; a few more each time. */
const countBefore = (kill: number): number => 3 + kill;

async function expectKept(store: AccountStore, ids: readonly string[]): Promise<void> {
  expect(ids.length).to.be.at.least(KILLS * countBefore(0));
  const events = new Set((await store.listEvents({ limit: 100_000 })).map(({ accountId }) => accountId));
  for (const id of ids) {
    expect((await store.findAccount(id))?.id, id).to.equal(id);
    expect((await store.findAccountByDigest(sampleDigest(id)))?.id, `the key of ${id}`).to.equal(id);
    expect(events.has(id), `the event of ${id}`).to.equal(true);
  }
}

describe(`${KILLS} times kill -9 while accounts are created (row 47)`, function () {
  this.timeout(600_000);
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'tickmark-killed-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('keeps every acknowledged account and key in SQLite when the process that uses the file is killed', async () => {
    // One file: the loader of TypeScript would take longer to start than the sign-ups take.
    const script = await bundleScript('test/support/accountWriter.ts');
    const acknowledged: string[] = [];
    for (let kill = 0; kill < KILLS; kill++) {
      const child = spawn(process.execPath, [script, 'sqlite', folder, `k${kill}`, String(kill * 10_000)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let count = 0;
      for await (const line of createInterface({ input: child.stdout })) {
        if (line.startsWith('created ')) acknowledged.push(`k${kill}-${line.slice(8)}`);
        if (++count === countBefore(kill)) child.kill('SIGKILL');
      }
    }
    const store = openSqliteStore(folder);
    await expectKept(store, acknowledged);
    await store.close();
  });

  it('keeps every acknowledged account and key in MongoDB when the server is killed, and recovers each time', async function () {
    let server: MongoServer = await ownMongoServer(folder, this);
    const { port, uri } = server;
    const { store } = await openMongo(uri, { answerMs: 500 });
    const acknowledged: string[] = [];
    try {
      for (let kill = 0; kill < KILLS; kill++) {
        let failed = 0;
        let killed: Promise<void> | undefined;
        const before = acknowledged.length;
        const write = async (lane: number): Promise<void> => {
          for (let i = 0; failed === 0; i++) {
            // On a busy machine, a call may fail before the server is killed.
            const id = `k${kill}-${lane}-${i}`;
            try {
              if ((await store.createAccount(sampleAccount(id), sampleEvent(`event-${id}`, id))) === 'created') acknowledged.push(id);
            } catch {
              if (killed !== undefined) failed++;
            }
            if (acknowledged.length - before >= countBefore(kill)) killed ??= server.kill();
          }
        };
        await Promise.all([write(0), write(1), write(2), write(3)]);
        await killed;
        server = await startMongoServer(folder, port);
      }
      const patient = await openNamedStore('mongodb', uri);
      await expectKept(patient, acknowledged);
      await patient.close();
    } finally {
      await store.close();
      await server.kill();
    }
  });
});
