import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { expect } from 'chai';
import { isWrittenTwice, writeClean } from '../../../src/cli/files/doctorFile.ts';
import { importFile } from '../../../src/cli/files/importFile.ts';
import { ServiceError } from '../../../src/core/ServiceError.ts';
import { caseTicks, FILE_CASES } from '../../support/fileCases.ts';

const NOW = { nowMs: Date.UTC(2026, 10, 1) };
const silent = (): void => {};

describe('doctor --fix', () => {
  let folder: string;
  before(() => void (folder = mkdtempSync(path.join(tmpdir(), 'tickmark-fix-'))));
  after(() => rmSync(folder, { recursive: true }));

  /** Undefined where the file is refused. */
  async function fix(file: string, target: string): Promise<readonly string[] | undefined> {
    try {
      const report = await importFile(file, { add: silent }, { ...NOW, order: 'keep', dropsMalformed: true, doubts: 'report' }, silent);
      return (await writeClean(file, target, { ...NOW, dropsRepeated: isWrittenTwice(report) }, false, silent)).changes;
    } catch (error) {
      expect(error).to.be.instanceOf(ServiceError);
      return undefined;
    }
  }

  it('changes nothing in a copy that it wrote', async () => {
    let copies = 0;
    for (const [i, { name, write }] of FILE_CASES.entries()) {
      const [file, once, twice] = ['file', 'once', 'twice'].map((part) => path.join(folder, `${i}-${part}.csv`)) as [
        string,
        string,
        string,
      ];
      writeFileSync(file, write(caseTicks()));
      if ((await fix(file, once)) === undefined) continue;
      copies++;
      expect(await fix(once, twice), name).to.deep.equal([]);
      expect(readFileSync(twice).equals(readFileSync(once)), name).to.equal(true);
    }
    expect(copies).to.be.greaterThan(50);
  });
});
