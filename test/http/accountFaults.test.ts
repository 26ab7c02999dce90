import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { expect } from 'chai';
import Database from 'libsql';
import { MongoClient } from 'mongodb';
import { createApiKey } from '../../src/accounts/accountKeys.ts';
import type { TickRequestBody } from '../../src/contract/tickForecast.ts';
import { startAccountService, type AccountRig } from '../support/accountService.ts';
import { makeStoreLocation, ownMongoServer, type StoreLocation } from '../support/eachStore.ts';
import { startMongoServer, type MongoServer } from '../support/mongoServer.ts';
import { serviceErrorOf } from '../support/serviceErrorOf.ts';
import type { Answer } from '../support/request.ts';
import { startRelay, type Relay } from '../support/startRelay.ts';

/** Long enough to tell waiting for the store from a machine that stalls for a second. */
const TIMEOUT_MS = 3000;
const MARGIN_MS = 3000;

async function timed(call: () => Promise<Answer>): Promise<{ status: number; code: unknown; ms: number; retryAfter: unknown }> {
  const startMs = performance.now();
  const { status, json, headers } = await call();
  return { status, code: json['code'], ms: performance.now() - startMs, retryAfter: headers['retry-after'] };
}

function placeAt(uri: string, folder: string): StoreLocation {
  const env = { DATA_DIR: folder, MONGODB_URI: `${uri}faults`, STORE_TIMEOUT_MS: String(TIMEOUT_MS) };
  return { kind: 'mongodb', place: env.MONGODB_URI, env, dump: () => Promise.resolve(''), dispose: () => Promise.resolve() };
}

describe('a MongoDB that fails under the service', () => {
  let folder: string;
  let server: MongoServer;
  let relay: Relay;
  let rig: AccountRig;
  let sample: TickRequestBody;
  let key: unknown;

  before(async function () {
    folder = mkdtempSync(path.join(tmpdir(), 'tickmark-faults-'));
    server = await ownMongoServer(path.join(folder, 'db'), this);
    relay = await startRelay(server.port);
    // With shared limits, every forecast calls the store or its fallback.
    const env = { KEY_CACHE_MS: '60000', LIMITS_SHARED: 'true', LIMIT_FORECASTS_PER_MINUTE: '1000' };
    rig = await startAccountService(placeAt(`mongodb://127.0.0.1:${relay.port}/`, folder), env);
    sample = (await rig.ask('/sample')).json as TickRequestBody;
    key = (await rig.signUp('kept@example.com')).json['api_key'];
    await rig.withKey(key, '/auth/me');
  });
  after(async () => {
    await rig?.close();
    await relay?.close();
    await server?.kill();
    rmSync(folder, { recursive: true, force: true });
  });

  const unknownKey = (): Promise<Answer> => rig.withKey(createApiKey(randomBytes), '/auth/me');
  const forecast = (): Promise<Answer> => rig.withKey(key, '/auth/ti-tick', { body: sample });

  /** A cached key is served, requests that need the store get an error in time, and all recover with the store. */
  async function expectBridged(): Promise<void> {
    expect((await rig.ask('/health/live')).status).to.equal(200);
    for (let i = 0; i < 3; i++) {
      const served = await timed(forecast);
      expect(served.status).to.equal(200);
      // The first one finds the store down; the next ones do not call it again.
      expect(served.ms, 'a forecast does not wait for the store').to.be.below(i === 0 ? 0.9 * TIMEOUT_MS : TIMEOUT_MS / 2);
    }
    for (const call of [unknownKey, () => rig.signUp('new@example.com'), () => rig.asOwner('kept@example.com', '/account/keys')]) {
      const refused = await timed(call);
      expect([refused.status, refused.code]).to.deep.equal([503, 'store.unavailable']);
      expect(Number(refused.retryAfter)).to.be.above(0);
      expect(refused.ms).to.be.below(TIMEOUT_MS + MARGIN_MS);
    }
  }

  async function expectRecovered(email: string): Promise<void> {
    const endMs = performance.now() + 20_000;
    while ((await unknownKey()).status !== 401) expect(performance.now()).to.be.below(endMs);
    expect((await rig.signUp(email)).status).to.equal(201);
    expect((await forecast()).status).to.equal(200);
  }

  it('is killed and comes back (row 34)', async function () {
    this.timeout(120_000);
    const { port } = server;
    await server.kill();
    await expectBridged();
    server = await startMongoServer(path.join(folder, 'db'), port);
    await expectRecovered('after-kill@example.com');
    expect((await rig.asOwner('kept@example.com', '/account/keys')).status).to.equal(200);
  });

  it('stalls: answers come within the limit, however many are waiting (row 35)', async function () {
    this.timeout(120_000);
    relay.mode = 'stall';
    await expectBridged();
    const answers = await Promise.all(Array.from({ length: 60 }, () => timed(unknownKey)));
    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([503]));
    expect(Math.max(...answers.map(({ ms }) => ms))).to.be.below(TIMEOUT_MS + MARGIN_MS);
    relay.mode = 'pass';
    await expectRecovered('after-stall@example.com');
  });

  it('loses every connection at once, repeatedly', async function () {
    this.timeout(60_000);
    for (let i = 0; i < 3; i++) {
      // With the driver's defaults, its last check is now so old that a failed call makes it check at once.
      await new Promise((resolve) => setTimeout(resolve, 800));
      const calls = Array.from({ length: 20 }, unknownKey);
      await new Promise((resolve) => setTimeout(resolve, i));
      relay.cut();
      await Promise.all(calls);
      await expectRecovered(`after-cut-${i}@example.com`);
    }
  });

  it('leaves no URI in the log', () => {
    expect(rig.logged.join('\n')).to.not.include('mongodb://');
  });
});

describe('a SQLite file that another program holds (rows 34 and 35)', () => {
  it('does not block the thread: forecasts and health are answered, sign-ups get 503 in time, and all recover afterwards', async function () {
    this.timeout(60_000);
    const place = await makeStoreLocation('sqlite', this);
    const rig = await startAccountService(place, { STORE_TIMEOUT_MS: String(TIMEOUT_MS) });
    try {
      const sample = (await rig.ask('/sample')).json as TickRequestBody;
      const key = (await rig.signUp('kept@example.com')).json['api_key'];
      const other = new Database(path.join(place.place, 'tickmark.sqlite'));
      other.exec('BEGIN IMMEDIATE');
      const late = timed(() => rig.signUp('late@example.com'));
      const times: number[] = [];
      for (const endMs = performance.now() + 700; performance.now() < endMs;) {
        times.push(
          (await timed(() => rig.ask('/health/live'))).ms,
          (await timed(() => rig.withKey(key, '/auth/ti-tick', { body: sample }))).ms,
        );
      }
      expect(times.length).to.be.above(10);
      expect(Math.max(...times)).to.be.below(TIMEOUT_MS / 2);
      expect((await rig.withKey(createApiKey(randomBytes), '/auth/me')).status, 'reads continue').to.equal(401);
      const refused = await late;
      expect([refused.status, refused.code]).to.deep.equal([503, 'store.unavailable']);
      expect(refused.ms).to.be.within(TIMEOUT_MS - 100, TIMEOUT_MS + MARGIN_MS);
      other.exec('ROLLBACK');
      other.close();
      expect((await rig.signUp('late@example.com')).status).to.equal(201);
    } finally {
      await rig.close();
      await place.dispose();
    }
  });

  it('waits for a short lock', async function () {
    const place = await makeStoreLocation('sqlite', this);
    const rig = await startAccountService(place);
    try {
      const other = new Database(path.join(place.place, 'tickmark.sqlite'));
      other.exec('BEGIN IMMEDIATE');
      const signedUp = rig.signUp('patient@example.com');
      await new Promise((resolve) => setTimeout(resolve, 200));
      other.exec('ROLLBACK');
      other.close();
      expect((await signedUp).status).to.equal(201);
    } finally {
      await rig.close();
      await place.dispose();
    }
  });
});

for (const [what, spoil, cause] of [
  ['a full disk', 'fillStore', 'SQLITE_FULL'],
  ['a read-only data folder', 'makeStoreReadOnly', 'SQLITE_READONLY'],
] as const)
  describe(`${what} under the account store (row 46)`, () => {
    it('refuses sign-ups with 503 and the cause in the log; forecasts and keys continue', async function () {
      const place = await makeStoreLocation('sqlite', this);
      const rig = await startAccountService(place);
      try {
        const sample = (await rig.ask('/sample')).json as TickRequestBody;
        const key = (await rig.signUp('kept@example.com')).json['api_key'];
        rig[spoil]();
        let answer = await rig.signUp('full0@example.com');
        for (let i = 1; i < 200 && answer.status === 201; i++) answer = await rig.signUp(`full${i}@example.com`);
        expect([answer.status, answer.json['code']]).to.deep.equal([503, 'store.unavailable']);
        expect(answer.text).to.not.include('SQLITE').and.not.include(place.place);
        expect(rig.logged.join('\n')).to.include(cause);
        expect((await rig.withKey(key, '/auth/ti-tick', { body: sample })).status).to.equal(200);
        expect((await rig.withKey(key, '/auth/me')).status).to.equal(200);
      } finally {
        await rig.close();
        await place.dispose();
      }
    });
  });

describe('a MongoDB with an unsupported schema (row 36)', () => {
  let place: StoreLocation;
  let client: MongoClient;

  beforeEach(async function () {
    place = await makeStoreLocation('mongodb', this);
    client = await new MongoClient(place.place).connect();
    await (await startAccountService(place)).close();
  });
  afterEach(async () => {
    await client?.close();
    await place?.dispose();
  });

  const name = (): string => new URL(place.place).pathname.slice(1);

  it('is refused without the index for the counts, with the command that creates it', async () => {
    await client.db(name()).collection('limits').dropIndex('limit_key');
    const refusal = await serviceErrorOf(startAccountService(place));
    expect(refusal.code).to.equal('store.refused');
    expect(refusal.message).to.include('db.limits.createIndex({"key":1}, {"name":"limit_key","unique":true})');
    await client.db(name()).collection('limits').createIndex({ key: 1 }, { name: 'limit_key', unique: true });
    await (await startAccountService(place)).close();
  });

  it('is refused if a newer program created it', async () => {
    await client
      .db(name())
      .collection<{ _id: string; version: number }>('schema')
      .updateOne({ _id: 'tickmark' }, { $set: { version: 99 } });
    const refusal = await serviceErrorOf(startAccountService(place));
    expect(refusal.message).to.include('schema version 99');
  });
});
