import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { expect } from 'chai';
import { MongoClient } from 'mongodb';
import { startService, type RunningService } from '../../src/service/app/startService.ts';
import { readSettings } from '../../src/core/config/settings.ts';
import type { TickRequestBody } from '../../src/contract/tickForecast.ts';
import { createLogger } from '../../src/core/observability/createLogger.ts';
import { cliRun } from '../support/cliRun.ts';
import { makeStoreLocation, type StoreLocation } from '../support/eachStore.ts';
import { request } from '../support/request.ts';
import { saveSmallModel } from '../support/saveSmallModel.ts';
import { until } from '../support/until.ts';

/** Two real services on folders of their own, over one database; an operator works from a third folder. */
describe('replicas over one registry in MongoDB', function () {
  this.timeout(300_000);
  const root = mkdtempSync(path.join(tmpdir(), 'tickmark-replicas-'));
  const logged: string[] = [];
  const services: RunningService[] = [];
  let place: StoreLocation;
  let shipped = '';
  let headers: Record<string, string>;
  let body: TickRequestBody;

  const envOf = (name: string): Record<string, string> => ({
    ...place.env,
    ...{ MODEL_REGISTRY: 'mongodb', DATA_DIR: path.join(root, name), PORT: '0', METRICS_PORT: '0' },
    ...{ RUNTIME_BACKEND: 'wasm', INFERENCE_PROCESS: 'false', STORE_TIMEOUT_MS: '20000', FORECAST_DEADLINE_MS: '60000' },
  });
  const start = async (name: string): Promise<RunningService> => {
    const logger = createLogger('info', { write: (line: string) => void logged.push(line) });
    const service = await startService(readSettings(envOf(name)), { logger });
    services.push(service);
    return service;
  };
  const operate = async (...args: string[]): Promise<string> => {
    const { code, out, err } = await cliRun(envOf('operator'), 'models', ...args);
    expect(code, err).to.equal(0);
    return out;
  };
  const readyOf = async ({ url }: RunningService): Promise<Record<string, unknown>> => (await request(url, '/health/ready')).json;
  const serve = (id: string): Promise<void> =>
    until(async () => (await Promise.all(services.map(readyOf))).every(({ model }) => model === id));
  const answeredBy = async ({ url }: RunningService, query = ''): Promise<string> =>
    /"model":\{"id":"([^"]+)"/.exec((await request(url, `/auth/ti-tick?detail=full${query}`, { body, headers })).text)?.[1] ?? '';

  before(async function () {
    place = await makeStoreLocation('mongodb', this);
    const [one] = [await start('one'), await start('two')];
    const password = 'correct horse 42';
    const account = { email: 'trader@example.com', password, confirm_password: password };
    headers = { 'Api-Key': String((await request(one.url, '/signup', { body: account })).json['api_key']) };
    body = (await request(one.url, '/sample')).json as TickRequestBody;
    shipped = String((await readyOf(one))['model']);
    for (const [i, id] of ['mine', 'next'].entries())
      await saveSmallModel(path.join(root, 'operator', 'models'), id, { createdAt: `2026-01-0${i + 1}T00:00:00.000Z` }, i + 1);
  });
  after(async () => {
    for (const service of services) await service.close();
    await place?.dispose();
    rmSync(root, { recursive: true, force: true });
  });

  it('serves the shipped version while the registry is empty', async () => {
    for (const service of services)
      expect((await readyOf(service))['registry']).to.deep.equal({ revision: 0, model: null, passed_over: [] });
  });

  it('answers on every replica by a version that was pushed from another machine, and by default once it is promoted', async () => {
    expect(await operate('push', 'mine')).to.match(/^mine is now in MongoDB/);
    await until(async () => (await Promise.all(services.map((service) => answeredBy(service, '&model=mine')))).join() === 'mine,mine');
    for (const service of services) expect(await answeredBy(service)).to.equal(shipped);
    await operate('promote', 'mine');
    await serve('mine');
    for (const service of services) expect(await answeredBy(service)).to.equal('mine');
    expect(await operate('list')).to.match(/^\* mine/m);
  });

  it('passes over a version that does not verify, says so, and goes on with the one before; a second push repairs it', async () => {
    await operate('push', 'next');
    // Both have their copies before the one in the registry is damaged.
    await until(async () => (await Promise.all(services.map((service) => answeredBy(service, '&model=next')))).join() === 'next,next');
    const client = await new MongoClient(place.place).connect();
    try {
      const files = client.db().collection('model_files.files');
      const weights = await files.findOne({ filename: 'next/weights.bin' });
      await client
        .db()
        .collection('model_files.chunks')
        .updateOne({ files_id: weights?._id }, { $set: { data: Buffer.alloc(7) } });
    } finally {
      await client.close();
    }
    // A new replica has no copy of its own yet.
    const third = await start('three');
    const promoted = await cliRun(envOf('operator'), 'models', 'promote', 'next');
    expect([promoted.code === 0, /next of the registry in MongoDB: weights\.bin/.test(promoted.err)]).to.deep.equal([false, true]);
    const { model, registry } = (await readyOf(third)) as { model: string; registry: { passed_over: { id: string; reason: string }[] } };
    expect([model, registry.passed_over.map(({ id }) => id)]).to.deep.equal(['mine', ['next']]);
    expect(logged.filter((line) => line.includes('passed over'))).to.have.length(1);
    expect(await operate('push', 'next')).to.match(/^next is now in/);
    await operate('promote', 'next');
    await serve('next');
    expect(((await readyOf(third)) as { registry: unknown }).registry).to.deep.include({ model: 'next', passed_over: [] });
  });

  it('rolls back on every replica, lists the history, and prunes', async () => {
    await operate('rollback');
    await serve('mine');
    const { history } = JSON.parse(await operate('history', '--json')) as { history: { by: string; id: string }[] };
    expect(history.map(({ by, id }) => `${by} ${id}`)).to.deep.equal(['promote mine', 'promote next', 'rollback mine']);
    expect(await operate('history')).to.match(/rollback {2}mine {2}\(before: next\)\nThe default is mine\.\n$/);
    expect(await operate('prune', '--keep', '0', '--yes')).to.match(/removed: next/);
    for (const service of services) await until(async () => (await answeredBy(service, '&model=next')) === '');
    for (const service of services) expect(await answeredBy(service)).to.equal('mine');
  });

  it('starts with the promoted version, on a folder that has seen none of it', async () => {
    expect(await readyOf(await start('four'))).to.deep.include({ status: 'ready', model: 'mine' });
  });
});
