import { readFileSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import { isWrittenTwice, writeClean } from '../../../src/cli/files/doctorFile.ts';
import { importFile, resultOf } from '../../../src/cli/files/importFile.ts';
import { ServiceError } from '../../../src/core/ServiceError.ts';
import type { ImportReport } from '../../../src/ticks/import/ImportReport.ts';
import { cliRun } from '../../support/cliRun.ts';
import { caseTicks } from '../../support/fileCase.ts';
import { FILE_CASES } from '../../support/fileCases.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';

const NOW = { nowMs: Date.UTC(2026, 10, 1) };
const silent = (): void => {};

type Checked = { readonly report: ImportReport; readonly timesUs: readonly number[]; readonly prices: readonly number[] };

describe('files as people have them', () => {
  const folder = temporaryFolder();
  /** Each case as a file, with what `doctor` finds. */
  const files: { readonly file: string; readonly found: Checked | undefined }[] = [];
  before(async () => {
    for (const [i, { write }] of FILE_CASES.entries()) {
      const file = path.join(folder, `${i}.csv`);
      writeFileSync(file, write(caseTicks()));
      files.push({ file, found: await check(file) });
    }
  });

  /** Undefined where the file is refused. */
  const orRefused = <T>(read: Promise<T>): Promise<T | undefined> =>
    read.catch((error: unknown) => {
      expect(error).to.be.instanceOf(ServiceError);
      return undefined;
    });
  /** What `doctor` finds, and the ticks. */
  async function check(file: string): Promise<Checked | undefined> {
    const got = { timesUs: [] as number[], prices: [] as number[] };
    const add = (timesUs: Iterable<number>, prices: Iterable<number>): void =>
      void (got.timesUs.push(...timesUs), got.prices.push(...prices));
    const report = await orRefused(importFile(file, { add }, { ...NOW, order: 'keep', dropsMalformed: true, doubts: 'report' }, silent));
    return report && { report, ...got };
  }
  const fix = async (file: string, target: string, { report }: Checked): Promise<readonly string[] | undefined> =>
    (await orRefused(writeClean(file, target, { ...NOW, dropsRepeated: isWrittenTwice(report) }, false, silent)))?.changes;

  it('are fixed once: a copy of doctor --fix holds the right ticks and a second fix changes nothing', async () => {
    let copies = 0;
    for (const [i, { name, ticks }] of FILE_CASES.entries()) {
      const { file, found } = files[i];
      const [once, twice] = [path.join(folder, `${i}-once.csv`), path.join(folder, `${i}-twice.csv`)];
      if (found === undefined) continue;
      const isAdvised = found.report.notes.some(
        ({ severity, advice }) => severity === 'error' && advice.some(({ text }) => text.includes('--fix')),
      );
      const fixed = await fix(file, once, found);
      if (isAdvised) expect(fixed, `${name}: the advice of doctor`).to.not.equal(undefined);
      if (fixed === undefined) continue;
      copies++;
      // What the copy holds are the ticks of a right reading, all of them in order.
      const copy = (await check(once))!;
      const source = caseTicks();
      const expected = ticks?.(source) ?? source;
      expect(copy.timesUs, name).to.deep.equal(expected.map(({ us }) => us));
      expect(copy.prices, name).to.deep.equal(expected.map(({ price }) => price));
      expect(await fix(once, twice, copy), name).to.deep.equal([]);
      expect(readFileSync(twice).equals(readFileSync(once)), name).to.equal(true);
    }
    expect(copies).to.be.greaterThan(50);
  });

  it('give no forecast where they are refused or unusable: predict names the file and the reason', async () => {
    let refused = 0;
    for (const [i, each] of FILE_CASES.entries()) {
      const { file, found } = files[i];
      if (each.refused === undefined && found !== undefined && resultOf(found.report.notes) !== 'unusable') continue;
      const { code, out, err } = await cliRun({}, 'predict', file, '--horizon', '60s');
      expect([code === 0, out], each.name).to.deep.equal([false, '']);
      expect(err, each.name).to.include(`${i}.csv`);
      refused++;
    }
    expect(refused).to.be.greaterThan(50);
  });
});
