import * as path from 'node:path';
import { expect } from 'chai';
import { MemoryCounter } from '../../src/service/accounts/limits/MemoryCounter.ts';
import { startService, type RunningService, type ServiceOverrides } from '../../src/service/app/startService.ts';
import { readSettings, type Settings } from '../../src/core/config/settings.ts';
import type { TickRequestBody } from '../../src/contract/tickForecast.ts';
import { systemClock } from '../../src/core/Clock.ts';
import { ServiceError } from '../../src/core/ServiceError.ts';
import { createLogger } from '../../src/core/observability/createLogger.ts';
import { MemoryStore } from '../support/MemoryStore.ts';
import { request } from '../support/request.ts';
import { saveSmallModel } from '../support/saveSmallModel.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const PASSWORD = 'correct horse 42';
const account = (email: string): object => ({ email, password: PASSWORD, confirm_password: PASSWORD });

/** Every part is real: SQLite, argon2id, backend, rules. The network is small; other tests check its output. */
describe('the whole service', () => {
  const folder = temporaryFolder();
  const logged: string[] = [];
  const logger = createLogger('debug', { write: (line: string) => void logged.push(line) });
  let settings: Settings;
  let service: RunningService;
  let key = '';

  before(async () => {
    await saveSmallModel(path.join(folder, 'models'), 'small');
    settings = readSettings({
      ...{
        DATA_DIR: folder,
        PORT: '0',
        MODEL: 'small',
        RUNTIME_BACKEND: 'wasm',
        INFERENCE_PROCESS: 'false',
        FORECAST_DEADLINE_MS: '60000',
      },
    });
    service = await startService(settings, { logger });
  });
  after(async () => {
    await service.close();
  });

  it('signs up, forecasts, and returns the owner of the key', async () => {
    const signedUp = await request(service.url, '/signup', { body: account('Trader@example.com') });
    expect(signedUp.status).to.equal(201);
    key = String(signedUp.json['api_key']);
    const sample = (await request(service.url, '/sample')).json as TickRequestBody;
    const headers = { 'Api-Key': key };
    const plain = await request(service.url, '/auth/ti-tick', { body: sample, headers });
    expect(plain.status).to.equal(200);
    expect(Object.keys(plain.json)).to.deep.equal([...new Set(sample.Timestamp)]);
    const again = await request(service.url, '/auth/ti-tick', { body: sample, headers });
    expect(again.text).to.equal(plain.text);
    const full = await request(service.url, '/auth/ti-tick?detail=full&min_move_bps=3', { body: sample, headers });
    expect(full.text).to.include('"detail":{"model":{"id":"small"').and.include('"min_move_bps":3');
    const me = await request(service.url, '/auth/me', { headers });
    expect(me.json['email']).to.equal('Trader@example.com');
    expect(me.text).to.not.include(key);
  });

  it('shows the sample with its explanation without a key, and the model with its card', async () => {
    const sample = await request(service.url, '/sample/forecast');
    expect(sample.text).to.include('"detail":').and.include('"horizon_ms":60000');
    expect((await request(service.url, '/models/small')).json['card']).to.be.a('string');
    expect((await request(service.url, '/health/ready')).json).to.include({ model: 'small', backend: 'wasm' });
  });

  it('accepts the key after a restart; closing twice has no further effect', async () => {
    await Promise.all([service.close(), service.close()]);
    service = await startService(settings, { logger });
    expect((await request(service.url, '/auth/me', { headers: { 'Api-Key': key } })).status).to.equal(200);
  });

  it('closes the parts that it opened if one fails to open, and rethrows its error', async () => {
    const closed: string[] = [];
    const failing = startService(settings, {
      logger,
      openStore: () =>
        Promise.resolve({
          store: new MemoryStore(),
          counterOf: (policy) => new MemoryCounter(policy, systemClock),
          nearCounterOf: (policy) => new MemoryCounter(policy, systemClock),
          close: () => Promise.resolve(void closed.push('store')),
        }),
      openForecaster: () => Promise.reject(new ServiceError('model.refused', 'No model.')),
    });
    const error = await failing.catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(ServiceError).with.property('code', 'model.refused');
    expect(closed).to.deep.equal(['store']);
  });

  it('writes to the log that the card failed', async () => {
    const before = logged.length;
    const failing = startService(settings, {
      logger,
      openForecaster: async (_settings, { onCardFault } = {}) => {
        onCardFault?.({ message: 'cuLaunchKernel of the NVIDIA driver answered CUDA_ERROR_LAUNCH_FAILED', isTriedAgain: true });
        throw new ServiceError('model.refused', 'No more is needed.');
      },
    });
    expect(await failing.catch((thrown: unknown) => thrown)).to.be.instanceOf(ServiceError);
    const lines = logged.slice(before).map((line) => JSON.parse(line) as Record<string, unknown>);
    const line = lines.find(({ msg }) => msg === 'the NVIDIA card failed; its batches are computed by WebAssembly');
    expect(line)
      .to.include({ level: 'warn', triedAgain: true })
      .with.property('reason')
      .match(/CUDA_ERROR_LAUNCH_FAILED$/);
  });

  for (const [copy, said] of [
    ['/data/tickmark.sqlite.schema-3', '/data/tickmark.sqlite.schema-3'],
    [null, 'none, because a migration of MongoDB only adds indexes'],
  ] as const)
    it(`writes to the log that the store is migrated, with its copy: ${said}`, async () => {
      const before = logged.length;
      const openStore: NonNullable<ServiceOverrides['openStore']> = async (_settings, _clock, _share, _limits, access) => {
        access?.onMigration?.({ from: 3, to: 5, copy });
        throw new ServiceError('store.refused', 'No more is needed.');
      };
      const error = await startService(settings, { logger, openStore }).catch((thrown: unknown) => thrown);
      expect(error).to.be.instanceOf(ServiceError);
      const lines = logged.slice(before).map((line) => JSON.parse(line) as Record<string, unknown>);
      expect(lines.find(({ msg }) => msg === 'migrating the account store')).to.include({ level: 'warn', from: 3, to: 5, copy: said });
    });
});
