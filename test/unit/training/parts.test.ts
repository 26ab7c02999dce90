import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { expect } from 'chai';
import { gatherParts, jobsOfPart, partFolder } from '../../../training/parts.ts';
import { RunFolder } from '../../../training/RunFolder.ts';
import { serviceErrorOf } from '../../support/serviceErrorOf.ts';

const JOBS = ['a', 'b', 'c', 'd', 'e'].map((name) => ({ name }));
const KEY = { data: 1 };

describe('parts of a training run', () => {
  let workDir: string;
  beforeEach(() => (workDir = mkdtempSync(path.join(tmpdir(), 'tickmark-parts-'))));
  afterEach(() => rmSync(workDir, { recursive: true, force: true }));

  /** A finished part: one file for each of its networks. */
  const finish = (index: number, count: number, key: unknown = KEY): void => {
    const folder = partFolder(workDir, 'base-1', { index, count });
    folder.open(key, false);
    for (const { name } of jobsOfPart(JOBS, { index, count })) writeFileSync(path.join(folder.path, `${name}.result`), `network ${name}`);
  };
  const gather = async (): Promise<RunFolder> => {
    const run = new RunFolder(workDir, 'base-1');
    run.open(KEY, false);
    gatherParts(workDir, 'base-1', JOBS, { key: KEY, run });
    return run;
  };
  const faultOf = async (): Promise<string> => (await serviceErrorOf(gather())).message;

  it('contain each network once, and differ by one at most', () => {
    for (let count = 1; count <= JOBS.length; count++) {
      const parts = Array.from({ length: count }, (_, at) => jobsOfPart(JOBS, { index: at + 1, count }));
      expect(
        parts
          .flat()
          .map(({ name }) => name)
          .sort()
          .join(''),
      ).to.equal('abcde');
      const sizes = parts.map(({ length }) => length);
      expect(Math.max(...sizes) - Math.min(...sizes)).to.be.at.most(1);
    }
  });

  it('are refused if there are more of them than networks', async () => {
    const { message } = await serviceErrorOf(Promise.resolve().then(() => jobsOfPart(JOBS, { index: 1, count: 6 })));
    expect(message).to.equal('--part 1/6: this run has only 5 networks, so at most as many parts.');
  });

  it('are gathered in the folder of the run', async () => {
    finish(1, 2);
    finish(2, 2);
    const run = await gather();
    for (const { name } of JOBS) expect(existsSync(path.join(run.path, `${name}.result`)), name).to.equal(true);
  });

  it('are not joined if one is missing, unfinished, or was made of other data, or if those of two runs are there', async () => {
    expect(await faultOf()).to.match(/^There is no part of base-1 in /);
    finish(2, 2);
    expect(await faultOf()).to.match(/^Part 1\/2 of base-1 is missing/);
    finish(1, 2);
    rmSync(path.join(partFolder(workDir, 'base-1', { index: 1, count: 2 }).path, 'c.result'));
    expect(await faultOf()).to.match(/^Part 1\/2 of base-1 has not finished: c\.result is missing/);
    finish(1, 2, { data: 2 });
    expect(await faultOf()).to.match(/was started with different data, settings or code/);
    finish(1, 3);
    expect(await faultOf()).to.match(/has parts of runs of [23] and of [23] parts of base-1/);
  });

  it('of another version with a longer name are left alone', async () => {
    finish(1, 1);
    const other = partFolder(workDir, 'base-1.part-x', { index: 1, count: 4 });
    other.open(KEY, false);
    await gather();
    expect(existsSync(other.path)).to.equal(true);
  });
});
