import * as path from 'node:path';
import { expect } from 'chai';
import { saveSmallModel } from '../support/saveSmallModel.ts';
import { spawnTickmark } from '../support/tickmarkProcess.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

describe('tickmark models, several processes at once', function () {
  this.timeout(600_000);
  const dataDir = temporaryFolder();
  const models = async (...args: string[]) => {
    const ended = await spawnTickmark(['models', ...args], { DATA_DIR: dataDir, RUNTIME_BACKEND: 'wasm' }).ended;
    return { code: ended.code, text: ended.stdout + ended.stderr };
  };
  before(async () => {
    for (const id of ['mine-1', 'mine-2']) await saveSmallModel(path.join(dataDir, 'models'), id);
  });

  it('keep registry and history consistent if two promote: the later one may be refused as busy', async () => {
    const both = await Promise.all([models('promote', 'mine-1'), models('promote', 'mine-2')]);
    const refused = both.filter(({ code }) => code !== 0);
    expect(refused.length, JSON.stringify(both)).to.be.below(2);
    for (const { code, text } of refused)
      expect([code, text.includes('changed the model versions at the same time')], text).to.deep.equal([1, true]);
    const verified = await models('verify');
    expect(verified.code, verified.text).to.equal(0);
  });
});
