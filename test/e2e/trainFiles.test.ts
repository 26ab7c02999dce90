import { truncateSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import { formatTimestamp } from '../../src/ticks/timestamps.ts';
import { syntheticTicks } from '../../src/ticks/syntheticTicks.ts';
import type { TrainReport } from '../../training/TrainOptions.ts';
import { cliRun } from '../support/cliRun.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const HEADER = 'timestamp,price\n';
const FIRST = '2024-01-02 09:32:00.478,101.25\n';
const still = Array.from({ length: 600 }, (_, i) => {
  const [minute, second] = [10 + Math.floor(i / 60), String(i % 60).padStart(2, '0')];
  return `2024-01-02 09:${minute}:${second}.000,5\n`;
}).join('');
/** A file of this many NUL bytes that uses no disk space. */
const sparse = (file: string): void => {
  writeFileSync(file, '');
  truncateSync(file, 2 ** 30);
};

const CASES: [what: string, name: string, content: string | ((file: string) => void), expected: RegExp][] = [
  ['too few ticks', 'few.csv', `${HEADER}${FIRST}2024-01-02 09:33:00.478,101.35\n`, /The ticks give 0 training rows/],
  ['a constant price', 'still.csv', HEADER + still, /The price never changes in still\.csv/],
  [
    'a horizon longer than the data',
    'short.csv',
    `${HEADER}${FIRST}2024-01-02 09:32:09.478,101.35\n`,
    /horizon of \d+ s is longer than the ticks: short\.csv spans 9\.0 s/,
  ],
  [
    'ticks out of order',
    'order.csv',
    `${HEADER}${FIRST}2024-01-02 09:31:00.478,101.2\n`,
    /order\.csv, line 3: the stamp is .* earlier than that of line 2/,
  ],
  [
    'mixed zones',
    'zones.csv',
    `${HEADER}${FIRST}2024-01-02T09:32:01.478+02:00,101.2\n`,
    /zones\.csv, line 3: the stamp .* carries a zone and the rows before carry none/,
  ],
  ['a gigabyte without a line end', 'binary.csv', sparse, /binary\.csv: it is binary data of an unknown kind/],
];

// The other errors of files are tested on the reader itself: test/unit/ticks/import.
describe('tickmark train on unusable files', function () {
  this.timeout(300_000);
  let folder: string;
  before(() => (folder = temporaryFolder()));

  for (const [what, name, content, expected] of CASES)
    it(`refuses ${what} with file and reason, before it trains`, async () => {
      const file = path.join(folder, name);
      if (typeof content === 'function') content(file);
      else writeFileSync(file, content);
      const refused = await cliRun({ DATA_DIR: path.join(folder, 'data') }, 'train', '--data', file);
      expect(refused.code, refused.err).to.equal(1);
      expect(refused.err).to.match(expected);
      expect(refused.err).not.to.include('training on');
    });
});

describe('tickmark train on files without a time zone', function () {
  this.timeout(300_000);
  let folder: string;
  before(() => (folder = temporaryFolder()));

  it('reads them by --zone and --date-order, given as options or in an experiment file', async () => {
    const file = path.join(folder, 'local.csv');
    const { timesUs, prices } = syntheticTicks({ seed: 3, count: 24_000, medianGapMs: 800, startUs: Date.UTC(2024, 2, 4, 9) * 1000 });
    const stamp = (us: number): string => formatTimestamp(us).replace(/^(\d+)-(\d+)-(\d+)/, '$2/$3/$1');
    writeFileSync(file, ['time,price', ...[...prices].map((price, i) => `${stamp(timesUs[i])},${price}`), ''].join('\n'));
    const experiment = path.join(folder, 'mine.yaml');
    writeFileSync(experiment, 'data: [local.csv]\nzone: EST\ndateOrder: mdy\n');
    const from = async (...args: string[]): Promise<string> => {
      const run = await cliRun({ DATA_DIR: path.join(folder, 'data') }, 'train', ...args, '--dry-run', '--json');
      expect(run.code, run.err).to.equal(0);
      return (JSON.parse(run.out) as TrainReport).sources[0].from;
    };
    const [utc, zoned] = [
      await from('--data', file, '--date-order', 'mdy'),
      await from('--data', file, '--date-order', 'mdy', '--zone', 'EST'),
    ];
    expect([utc.slice(0, 13), zoned.slice(0, 13)]).to.deep.equal(['2024-03-04T09', '2024-03-04T14']);
    expect(await from('--experiment', experiment)).to.equal(zoned);
  });
});
