import * as path from 'node:path';
import { expect } from 'chai';
import Database from 'libsql';
import { MongoClient } from 'mongodb';
import { createApiKey } from '../../src/service/accounts/accountKeys.ts';
import type { TickRequestBody } from '../../src/contract/tickForecast.ts';
import { startAccountService, type AccountRig } from '../support/accountService.ts';
import { makeStoreLocation, ownMongoServer, type StoreLocation } from '../support/eachStore.ts';
import { freePort } from '../support/freePort.ts';
import { startMongoServer, type MongoServer } from '../support/mongoServer.ts';
import { serviceErrorOf } from '../support/serviceErrorOf.ts';
import type { Answer } from '../support/request.ts';
import { startRelay, type Relay } from '../support/startRelay.ts';
import { SteppedClock } from '../support/SteppedClock.ts';
import { until } from '../support/until.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

/** Generous: a machine that stalls for some seconds is not a store that fails. */
const TIMEOUT_MS = 5000;
/** In a test that would wait for the store until then if it waited at all. */
const LONG_MS = 60_000;

function placeAt(uri: string, folder: string, timeoutMs = TIMEOUT_MS): StoreLocation {
  const env = { DATA_DIR: folder, MONGODB_URI: `${uri}faults`, STORE_TIMEOUT_MS: String(timeoutMs) };
  return { kind: 'mongodb', place: env.MONGODB_URI, env, dump: () => Promise.resolve(''), dispose: () => Promise.resolve() };
}

describe('a MongoDB that fails under the service', () => {
  // With shared limits, every forecast calls the store or its fallback.
  const ENV = { KEY_CACHE_MS: '60000', LIMITS_SHARED: 'true', LIMIT_FORECASTS_PER_MINUTE: '1000' };
  let folder: string;
  let server: MongoServer;
  let relay: Relay;
  let rig: AccountRig;
  let sample: TickRequestBody;
  let key: unknown;

  before(async function () {
    folder = temporaryFolder();
    server = await ownMongoServer(path.join(folder, 'db'), this);
    relay = await startRelay(server.port);
    rig = await startAccountService(placeAt(`mongodb://127.0.0.1:${relay.port}/`, folder), ENV);
    sample = (await rig.ask('/sample')).json as TickRequestBody;
    key = (await rig.signUp('kept@example.com')).json['api_key'];
    await rig.withKey(key, '/auth/me');
  });
  after(async () => {
    await rig?.close();
    await relay?.close();
    await server?.kill();
  });

  const unknownKey = (): Promise<Answer> => rig.withKey(createApiKey(), '/auth/me');
  const forecast = (): Promise<Answer> => rig.withKey(key, '/auth/ti-tick', { body: sample });

  /** A cached key is served, and requests that need the store get an error. */
  async function expectBridged(): Promise<void> {
    expect((await rig.ask('/health/live')).status).to.equal(200);
    for (let i = 0; i < 3; i++) expect((await forecast()).status).to.equal(200);
    const calls = [unknownKey(), rig.signUp('new@example.com'), rig.asOwner('kept@example.com', '/account/keys')];
    for (const { status, json, headers } of await Promise.all(calls)) {
      expect([status, json['code']]).to.deep.equal([503, 'store.unavailable']);
      expect(Number(headers['retry-after'])).to.be.above(0);
    }
  }

  async function expectRecovered(email: string): Promise<void> {
    await until(async () => (await unknownKey()).status === 401);
    expect((await rig.signUp(email)).status).to.equal(201);
    expect((await forecast()).status).to.equal(200);
  }

  it('is killed and comes back (row 34)', async () => {
    const { port } = server;
    await server.kill();
    await expectBridged();
    server = await startMongoServer(path.join(folder, 'db'), port);
    await expectRecovered('after-kill@example.com');
    expect((await rig.asOwner('kept@example.com', '/account/keys')).status).to.equal(200);
  });

  it('stalls: all that wait for it are refused, however many they are (row 35)', async () => {
    relay.mode = 'stall';
    // At the same time: each waits for the store until its timeout.
    const [answers] = await Promise.all([Promise.all(Array.from({ length: 60 }, unknownKey)), expectBridged()]);
    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([503]));
    relay.mode = 'pass';
    await expectRecovered('after-stall@example.com');
  });

  it('stalls: forecasts do not wait for it (row 35)', async () => {
    const patient = await startAccountService(placeAt(`mongodb://127.0.0.1:${relay.port}/`, folder, LONG_MS), ENV);
    try {
      expect((await patient.withKey(key, '/auth/me')).status).to.equal(200);
      relay.mode = 'stall';
      let isRefused = false;
      const waiting = patient.withKey(createApiKey(), '/auth/me').then(({ status }) => {
        isRefused = true;
        return status;
      });
      for (let i = 0; i < 3; i++) expect((await patient.withKey(key, '/auth/ti-tick', { body: sample })).status).to.equal(200);
      expect(isRefused, 'another request still waits for the store').to.equal(false);
      relay.mode = 'pass';
      expect(await waiting).to.equal(401);
    } finally {
      relay.mode = 'pass';
      await patient.close();
    }
  });

  it('is cut off from one of two replicas for 10 minutes, which says so; then a key that the other revoked is refused (row 34)', async () => {
    const clock = new SteppedClock();
    const port = await freePort();
    const env = { ...ENV, KEY_CACHE_MS: '5000', METRICS_PORT: String(port) };
    const cutOff = await startAccountService(placeAt(`mongodb://127.0.0.1:${relay.port}/`, folder, LONG_MS), env, { clock });
    const other = await startAccountService(placeAt(`mongodb://127.0.0.1:${server.port}/`, folder), ENV);
    const ask = (apiKey: unknown): Promise<Answer> => cutOff.withKey(apiKey, '/auth/ti-tick', { body: sample });
    const outages = async (): Promise<string[]> => {
      const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      return text.match(/^tickmark_store_outage\{.*$/gm) ?? [];
    };
    /** A jump looks like a block of the event loop, after which forecasts are refused until its timers have run. */
    const advance = async (ms: number): Promise<void> => {
      clock.advance(ms);
      await until(async () => (await ask(key)).json['code'] !== 'inference.overloaded');
    };
    const told = (text: string): number => cutOff.logged.filter((line) => line.includes(text)).length;
    try {
      const revoked = (await other.signUp('revoked@example.com')).json;
      const before = [await ask(key), await ask(revoked['api_key'])];
      expect(before.map(({ status, headers }) => [status, headers['ratelimit-scope']])).to.deep.equal([
        [200, undefined],
        [200, undefined],
      ]);
      expect(await outages()).to.deep.equal(['tickmark_store_outage{part="keys"} 0', 'tickmark_store_outage{part="limits"} 0']);
      relay.mode = 'stall';
      await advance(5000);
      const { id } = (await other.withKey(revoked['api_key'], '/auth/me')).json['key'] as { id: string };
      expect((await other.asOwner('revoked@example.com', `/account/keys/${id}`, { method: 'DELETE' })).status).to.equal(200);
      for (const stepMs of [300_000, 299_000]) {
        await advance(stepMs);
        for (const each of [key, revoked['api_key']]) {
          const { status, headers } = await ask(each);
          expect([status, headers['ratelimit-scope']]).to.deep.equal([200, 'replica']);
        }
      }
      expect(await outages()).to.deep.equal(['tickmark_store_outage{part="keys"} 1', 'tickmark_store_outage{part="limits"} 1']);
      expect([told('the account store does not answer'), told('this replica counts alone')]).to.deep.equal([1, 1]);
      relay.mode = 'pass';
      await until(async () => (await ask(revoked['api_key'])).status === 401);
      expect((await ask(key)).status).to.equal(200);
      expect(told('the account store answers again')).to.equal(1);
      // The stepped clock stands at a fixed date.
      expect(told('differs from that of the database')).to.equal(1);
    } finally {
      relay.mode = 'pass';
      await Promise.all([cutOff.close(), other.close()]);
    }
  });

  it('loses every connection at once, repeatedly', async () => {
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
  it('does not block the thread: forecasts and health are answered while a sign-up waits, which succeeds after a short lock', async function () {
    const place = await makeStoreLocation('sqlite', this);
    const rig = await startAccountService(place, { STORE_TIMEOUT_MS: String(LONG_MS) });
    const other = new Database(path.join(place.place, 'tickmark.sqlite'));
    try {
      const sample = (await rig.ask('/sample')).json as TickRequestBody;
      const key = (await rig.signUp('kept@example.com')).json['api_key'];
      other.exec('BEGIN IMMEDIATE');
      let isAnswered = false;
      const signedUp = rig.signUp('patient@example.com').finally(() => (isAnswered = true));
      for (let i = 0; i < 5; i++) {
        expect((await rig.ask('/health/live')).status).to.equal(200);
        expect((await rig.withKey(key, '/auth/ti-tick', { body: sample })).status).to.equal(200);
        expect((await rig.withKey(createApiKey(), '/auth/me')).status, 'reads continue').to.equal(401);
      }
      expect(isAnswered).to.equal(false);
      other.exec('ROLLBACK');
      expect((await signedUp).status).to.equal(201);
    } finally {
      other.close();
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
