import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { expect } from 'chai';
import { run } from '../../../src/cli/run.ts';
import { caseTicks, FILE_CASES } from '../../support/fileCases.ts';

describe('predict', function () {
  let folder: string;
  before(() => void (folder = mkdtempSync(path.join(tmpdir(), 'tickmark-doubts-'))));
  after(() => rmSync(folder, { recursive: true }));

  it('prints no forecast for a file that is refused', async () => {
    const doubtful = FILE_CASES.filter(({ refused }) => refused !== undefined);
    expect(doubtful.length).to.be.greaterThan(30);
    for (const [i, { name, write }] of doubtful.entries()) {
      const file = path.join(folder, `${i}.csv`);
      writeFileSync(file, write(caseTicks()));
      let [out, err] = ['', ''];
      const code = await run(['predict', file, '--horizon', '60s'], {
        out: (text) => void (out += text),
        err: (text) => void (err += text),
      });
      expect([code === 0, out], name).to.deep.equal([false, '']);
      expect(err, name).to.include(`${i}.csv`);
    }
  });
});
