import { rmSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import { registryOf } from '../../src/service/app/openRegistry.ts';
import { startService, type RunningService } from '../../src/service/app/startService.ts';
import { readSettings } from '../../src/core/config/settings.ts';
import type { TickRequestBody } from '../../src/contract/tickForecast.ts';
import { promoteVersion, rollbackVersion } from '../../src/engine/model/registry/promoteVersion.ts';
import { createLogger } from '../../src/core/observability/createLogger.ts';
import { FakeClock } from '../support/FakeClock.ts';
import { request } from '../support/request.ts';
import { saveSmallModel } from '../support/saveSmallModel.ts';
import { rewriteFile } from '../support/versionFolders.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

/** The real service and real networks; only the clock is fake. */
describe('a running service and its versions', () => {
  const folder = temporaryFolder();
  const modelsDir = path.join(folder, 'models');
  const settings = readSettings({
    DATA_DIR: folder,
    PORT: '0',
    RUNTIME_BACKEND: 'wasm',
    INFERENCE_PROCESS: 'false',
    FORECAST_DEADLINE_MS: '60000',
  });
  const clock = new FakeClock();
  const logged: string[] = [];
  let service: RunningService;
  let shipped = '';
  let headers: Record<string, string>;
  let body: TickRequestBody;
  // Small steps of the clock: after a large one, the service would see a blocked event loop.
  const look = (): void => {
    for (let step = 0; step < 50; step++) clock.advance(20);
  };
  const ask = (query = '') => request(service.url, `/auth/ti-tick?detail=full${query}`, { body, headers });
  const answeredBy = (text: string): string => /"model":\{"id":"([^"]+)"/.exec(text)?.[1] ?? '';
  const ready = async (): Promise<unknown> => (await request(service.url, '/health/ready')).json['model'];

  before(async () => {
    service = await startService(settings, { clock, logger: createLogger('info', { write: (line: string) => void logged.push(line) }) });
    const password = 'correct horse 42';
    const account = { email: 'trader@example.com', password, confirm_password: password };
    headers = { 'Api-Key': String((await request(service.url, '/signup', { body: account })).json['api_key']) };
    body = (await request(service.url, '/sample')).json as TickRequestBody;
    shipped = String(await ready());
    await saveSmallModel(modelsDir, 'mine', { createdAt: '2026-01-02T00:00:00.000Z' });
  });
  after(async () => {
    await service.close();
  });

  it('answers ?model= of a version that was added while it ran', async () => {
    expect((await ask('&model=mine')).status).to.equal(404);
    look();
    expect(answeredBy((await ask('&model=mine')).text)).to.equal('mine');
    expect(answeredBy((await ask()).text)).to.equal(shipped);
    const { json } = await request(service.url, '/models/mine');
    expect(json).to.deep.include({ kind: 'base', parent: null, default: false });
    expect(json['gate']).to.deep.equal({ verdict: 'passed', against: null, summary: 'It passed.' });
  });

  it('changes to the promoted version under load: no request fails, each is answered by one version, which it names', async () => {
    const sampleBefore = (await request(service.url, '/sample/forecast')).text;
    const inFlight = Array.from({ length: 12 }, () => ask());
    await promoteVersion(registryOf(settings), 'mine');
    look();
    const answers = await Promise.all([...inFlight, ...Array.from({ length: 4 }, () => ask())]);
    expect(answers.map(({ status }) => status)).to.deep.equal(answers.map(() => 200));
    expect(answers.slice(-4).map(({ text }) => answeredBy(text))).to.deep.equal(Array(4).fill('mine'));
    for (const { text } of answers) expect([shipped, 'mine']).to.include(answeredBy(text));
    expect(await ready()).to.equal('mine');
    expect((await request(service.url, '/models')).json['default']).to.equal('mine');
    expect(answeredBy(sampleBefore)).to.equal(shipped);
    expect(answeredBy((await request(service.url, '/sample/forecast')).text)).to.equal('mine');
  });

  it('returns to the previous version by a rollback', async () => {
    await rollbackVersion(registryOf(settings));
    look();
    expect([answeredBy((await ask()).text), await ready()]).to.deep.equal([shipped, shipped]);
  });

  it('refuses a version with rules of its own, which earlier releases wrote', async () => {
    await saveSmallModel(modelsDir, 'ruled', {}, 9);
    rewriteFile(path.join(modelsDir, 'ruled'), 'rules.json', '{}');
    look();
    expect((await ask('&model=ruled')).status).to.equal(404);
    expect(logged.some((line) => line.includes('model version skipped') && line.includes('rules.json: a version has no rules'))).to.equal(
      true,
    );
  });

  it('keeps the running version if a new one does not reproduce its golden answers, and logs it once', async () => {
    await saveSmallModel(modelsDir, 'off', {}, 8);
    rewriteFile(path.join(modelsDir, 'off'), 'golden.json', '{"rows":[null]}');
    logged.length = 0;
    for (let second = 0; second < 3; second++) look();
    expect((await ask('&model=off')).status).to.equal(404);
    expect(answeredBy((await ask()).text)).to.equal(shipped);
    expect(logged.filter((line) => line.includes('golden row 0 does not fit'))).to.have.length(1);
  });

  it('answers no more by a version whose folder was removed', async () => {
    rmSync(path.join(modelsDir, 'mine'), { recursive: true });
    look();
    expect((await ask('&model=mine')).status).to.equal(404);
  });

  it('starts despite a version that does not reproduce its golden answers', async () => {
    await service.close();
    service = await startService(settings, { clock, logger: createLogger('info', { write: (line: string) => void logged.push(line) }) });
    expect(await ready()).to.equal(shipped);
  });
});
