import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { expect } from 'chai';
import { request } from '../support/request.ts';
import { saveSmallModel } from '../support/saveSmallModel.ts';
import { serveTickmark, spawnTickmark, type ServedProcess } from '../support/tickmarkProcess.ts';

/** Processes as an operator runs them: a service, and commands at the same time. */
describe('tickmark models with a running service', function () {
  this.timeout(600_000);
  const dataDir = mkdtempSync(path.join(tmpdir(), 'tickmark-e2e-models-'));
  const env = { DATA_DIR: dataDir, RUNTIME_BACKEND: 'wasm' };
  let service: ServedProcess | undefined;
  let shipped = '';
  const model = async (): Promise<string> => String((await request(service?.url ?? '', '/health/ready')).json['model']);
  const models = async (...args: string[]) => {
    const ended = await spawnTickmark(['models', ...args], env).ended;
    return { code: ended.code, text: ended.stdout + ended.stderr };
  };
  /** The service checks about once a second; a slow machine gets a minute. */
  async function becomes(id: string): Promise<string> {
    const untilMs = performance.now() + 60_000;
    let now = await model();
    while (now !== id && performance.now() < untilMs) now = await model();
    return now;
  }

  before(async () => {
    for (const id of ['mine-1', 'mine-2']) await saveSmallModel(path.join(dataDir, 'models'), id);
    service = await serveTickmark(dataDir, env);
    shipped = await model();
  });
  after(async () => {
    service?.child.kill('SIGTERM');
    await service?.ended;
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('answers with a version as soon as it is promoted, and names it', async () => {
    expect(await models('promote', 'mine-1')).to.deep.include({ code: 0 });
    expect(await becomes('mine-1')).to.equal('mine-1');
    expect((await request(service?.url ?? '', '/sample/forecast')).text).to.include('"model":{"id":"mine-1"');
  });

  it('answers with the previous version after a rollback', async () => {
    expect(await models('rollback')).to.deep.include({ code: 0 });
    expect(await becomes(shipped)).to.equal(shipped);
  });

  it('keeps registry and history consistent if two processes promote at once: the later one may be refused as busy', async () => {
    const both = await Promise.all([models('promote', 'mine-1'), models('promote', 'mine-2')]);
    const refused = both.filter(({ code }) => code !== 0);
    expect(refused.length, JSON.stringify(both)).to.be.below(2);
    for (const { code, text } of refused)
      expect([code, text.includes('changed the model versions at the same time')], text).to.deep.equal([1, true]);
    const verified = await models('verify');
    expect(verified.code, verified.text).to.equal(0);
  });
});
