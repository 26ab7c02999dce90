import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { expect } from 'chai';
import { isWrittenTwice, writeClean } from '../../../src/cli/files/doctorFile.ts';
import { importFile, resultOf } from '../../../src/cli/files/importFile.ts';
import { run } from '../../../src/cli/run.ts';
import { ServiceError } from '../../../src/core/ServiceError.ts';
import type { ImportReport } from '../../../src/ticks/import/ImportReport.ts';
import { readTickFile } from '../../../src/ticks/import/streamTickFile.ts';
import { caseTicks, FILE_CASES } from '../../support/fileCases.ts';

const NOW = { nowMs: Date.UTC(2026, 10, 1) };
const silent = (): void => {};

describe('doctor --fix', () => {
  let folder: string;
  before(() => void (folder = mkdtempSync(path.join(tmpdir(), 'tickmark-fix-'))));
  after(() => rmSync(folder, { recursive: true }));

  /** Undefined where the file is refused. */
  const orRefused = <T>(read: Promise<T>): Promise<T | undefined> =>
    read.catch((error: unknown) => {
      expect(error).to.be.instanceOf(ServiceError);
      return undefined;
    });
  const findings = (file: string): Promise<ImportReport | undefined> =>
    orRefused(importFile(file, { add: silent }, { ...NOW, order: 'keep', dropsMalformed: true, doubts: 'report' }, silent));
  async function fix(file: string, target: string): Promise<readonly string[] | undefined> {
    const report = await findings(file);
    if (report === undefined) return undefined;
    const options = { ...NOW, dropsRepeated: isWrittenTwice(report) };
    return (await orRefused(writeClean(file, target, options, false, silent)))?.changes;
  }

  it('changes nothing in a copy that it wrote, and writes one where doctor names it', async () => {
    let copies = 0;
    for (const [i, { name, write, ticks }] of FILE_CASES.entries()) {
      const [file, once, twice] = ['file', 'once', 'twice'].map((part) => path.join(folder, `${i}-${part}.csv`)) as [
        string,
        string,
        string,
      ];
      writeFileSync(file, write(caseTicks()));
      const report = await findings(file);
      const isAdvised = report?.notes.some(
        ({ severity, advice }) => severity === 'error' && advice.some(({ text }) => text.includes('--fix')),
      );
      const fixed = await fix(file, once);
      if (isAdvised) expect(fixed, `${name}: the advice of doctor`).to.not.equal(undefined);
      if (fixed === undefined) continue;
      copies++;
      // What the copy holds are the ticks of a right reading, all of them in order.
      const { series } = await readTickFile(once);
      const source = caseTicks();
      const expected = ticks?.(source) ?? source;
      expect([...series.timesUs], name).to.deep.equal(expected.map(({ us }) => us));
      expect([...series.prices], name).to.deep.equal(expected.map(({ price }) => price));
      expect(await fix(once, twice), name).to.deep.equal([]);
      expect(readFileSync(twice).equals(readFileSync(once)), name).to.equal(true);
    }
    expect(copies).to.be.greaterThan(50);
  });

  it('is not needed to keep predict from a file in doubt: what is refused or unusable gives no forecast', async () => {
    let refused = 0;
    for (const [i, { name, write }] of FILE_CASES.entries()) {
      const file = path.join(folder, `${i}-predict.csv`);
      writeFileSync(file, write(caseTicks()));
      const report = await findings(file);
      if (report !== undefined && resultOf(report.notes) !== 'unusable' && (await orRefused(readTickFile(file))) !== undefined) continue;
      let out = '';
      const code = await run(['predict', file, '--horizon', '60s'], { out: (text) => void (out += text), err: silent });
      expect([code === 0, out], name).to.deep.equal([false, '']);
      refused++;
    }
    expect(refused).to.be.greaterThan(50);
  });
});
