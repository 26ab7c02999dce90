import { mkdirSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import { addGroup } from '../../../src/cli/CliContext.ts';
import { expandTickFiles } from '../../../src/cli/files/expandTickFiles.ts';
import { positiveNumber, wholeNumber } from '../../../src/cli/parseOptions.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';

describe('numbers on the command line', () => {
  it('are whole and within bounds', () => {
    const parse = wholeNumber(199, 3000);
    expect(['199', '3000'].map(parse)).to.deep.equal([199, 3000]);
    for (const text of ['198', '3001', '500.5', '5e2', '-500', '', ' 500', '0x1f4'])
      expect(() => parse(text), text).to.throw('199 to 3000');
  });

  it('are above 0 and bounded', () => {
    const parse = positiveNumber(10_000);
    expect(['2.5', '10000', '0.001'].map(parse)).to.deep.equal([2.5, 10_000, 0.001]);
    for (const text of ['0', '-1', '10000.1', '1e2', 'Infinity', 'NaN', '']) expect(() => parse(text), text).to.throw('at most 10000');
  });
});

describe('addGroup', () => {
  it('adds one group to those before', () => {
    expect(addGroup('gold=xau-a, xau-b', { eurusd: ['a'] })).to.deep.equal({ eurusd: ['a'], gold: ['xau-a', 'xau-b'] });
  });

  it('refuses what names no series', () => {
    for (const text of ['', 'gold', 'gold=', '=a', 'gold=a,,b', 'a=b=c']) expect(() => addGroup(text), text).to.throw('Write a name');
  });
});

describe('expandTickFiles', () => {
  const folder = temporaryFolder();
  before(() => {
    for (const name of ['b.csv', 'a.csv.gz', 'a+b.csv', 'notes.md']) writeFileSync(path.join(folder, name), '');
    mkdirSync(path.join(folder, 'deeper.csv'));
  });
  const said: string[] = [];
  beforeEach(() => void (said.length = 0));
  const names = (given: readonly string[]): string[] =>
    expandTickFiles(
      given.map((name) => path.join(folder, name)),
      (line) => said.push(line),
    ).map((file) => path.basename(file));

  it('takes files, folders and patterns, each file once', () => {
    expect(names(['notes.md'])).to.deep.equal(['notes.md']);
    expect(names(['.'])).to.deep.equal(['a+b.csv', 'a.csv.gz', 'b.csv']);
    expect(names(['*.csv'])).to.deep.equal(['a+b.csv', 'b.csv']);
    expect(names(['?.csv*', 'b.csv'])).to.deep.equal(['a.csv.gz', 'b.csv']);
    expect(names(['a+*'])).to.deep.equal(['a+b.csv']);
  });

  it('reads every known format in a folder, sorted, and reports the files left out', () => {
    const all = ['b.csv', 'c.tsv', 'd.txt', 'e.json', 'f.jsonl', 'g.ndjson.gz', 'h.parquet', 'i.PARQUET.gz', 'j.zip', 'k.csv.zip', 'l.TXT'];
    mkdirSync(path.join(folder, 'mixed', 'inside.csv'), { recursive: true });
    for (const name of [...all, 'b.txt', 'm.xlsx', 'n.gz', 'README', '.hidden.csv']) writeFileSync(path.join(folder, 'mixed', name), '');
    expect(names(['mixed'])).to.deep.equal(all);
    expect(said).to.deep.equal([
      `${path.join(folder, 'mixed')}: 11 used, 5 left out as not tick files: README, b.txt, inside.csv/, m.xlsx, n.gz`,
    ]);
    said.length = 0;
    expect(names(['mixed/*.xlsx'])).to.deep.equal(['m.xlsx']);
    expect(said).to.deep.equal([]);
  });

  it('refuses what leads to no file, by name', () => {
    expect(() => names(['missing.csv'])).to.throw('missing.csv');
    expect(() => names(['*.parquet'])).to.throw('no tick file matches');
    expect(() => names(['deeper.csv'])).to.throw(
      'no tick file in this folder (.csv, .tsv, .txt, .json, .jsonl, .ndjson, .parquet, each also with .gz, and .zip)',
    );
  });
});
