import * as fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import * as path from 'node:path';
import { expect } from 'chai';
import { ServiceError } from '../../../../src/core/ServiceError.ts';
import { syntheticTicks } from '../../../../src/ticks/syntheticTicks.ts';
import { openTickSources, type TickSource } from '../../../../training/data/TickSource.ts';
import { temporaryFolder } from '../../../support/temporaryFolder.ts';
import { writeTicks } from '../../../support/writeTicks.ts';

const HEADER_BYTES = 24;

describe('cache of ticks', () => {
  const series = syntheticTicks({ seed: 6, count: 17_000 });
  let folder = '';
  let store = '';
  beforeEach(() => {
    folder = temporaryFolder();
    store = path.join(folder, 'cache', 'ticks');
    writeTicks(path.join(folder, 'a.csv'), { timesUs: series.timesUs.subarray(0, 300), prices: series.prices.subarray(0, 300) });
  });

  async function open(name = 'a.csv', maxCacheBytes = 1e9): Promise<TickSource> {
    const options = { groups: {}, workDir: folder, lookAheadS: 2, maxCacheBytes };
    const { sources } = await openTickSources([path.join(folder, name)], options);
    return sources[0];
  }
  const ticksOf = (source: TickSource): string => path.join(store, `${source.file.sha256}.ticks`);
  const collect = (source: TickSource): number[] => {
    const prices: number[] = [];
    for (const { series: segment, from, to } of source.segments()) prices.push(...segment.prices.subarray(from, to));
    return prices;
  };
  const toldBy = (source: TickSource): unknown => ({ ...source, segments: null });
  const numberOf = (file: string): number => fs.statSync(file).ino;

  it('stores 24 bytes plus 16 per tick, and is used again without parsing or writing', async () => {
    const first = await open();
    const file = ticksOf(first);
    expect(fs.statSync(file).size).to.equal(HEADER_BYTES + 16 * 300);
    fs.utimesSync(file, 1e6, 1e6);
    const before = numberOf(file);
    const expected = toldBy(first);
    const second = await open();
    expect(toldBy(second)).to.deep.equal(expected);
    expect(numberOf(file)).to.equal(before);
    expect(fs.statSync(file).mtimeMs, 'its use is noted').to.be.above(1e9);
    expect(collect(second)).to.deep.equal([...series.prices.subarray(0, 300)]);
  });

  it('writes the file again if it is truncated or replaced', async () => {
    const first = await open();
    const expected = toldBy(first);
    const file = ticksOf(first);
    const whole = fs.readFileSync(file);
    const otherVersion = Buffer.from(whole).fill('0', 7, 8);
    const unfinished = Buffer.from(whole).fill(0, 0, HEADER_BYTES);
    const damages: (() => void)[] = [
      () => fs.truncateSync(file, HEADER_BYTES + 16 * 299),
      () => fs.truncateSync(file, 10),
      () => fs.writeFileSync(file, 'not ticks, yet '.repeat(400)),
      () => fs.writeFileSync(file, otherVersion),
      () => fs.writeFileSync(file, unfinished),
    ];
    for (const damage of damages) {
      damage();
      const again = await open();
      expect(toldBy(again), String(damage)).to.deep.equal(expected);
      expect(fs.readFileSync(file).equals(whole), String(damage)).to.equal(true);
      expect(collect(again), String(damage)).to.deep.equal([...series.prices.subarray(0, 300)]);
    }
    expect(fs.readdirSync(store).length).to.equal(1);
  });

  it('leaves no file if the source is rejected half-way', async () => {
    writeTicks(path.join(folder, 'bad.csv'), series);
    fs.appendFileSync(path.join(folder, 'bad.csv'), 'end\n');
    const error = await open('bad.csv').then(undefined, (thrown: unknown) => thrown);
    expect((error as Error).message).to.include('bad.csv, line 17002: ');
    expect(fs.readdirSync(store)).to.deep.equal([]);
  });

  it('reports a full disk and leaves no partial file', async () => {
    writeTicks(path.join(folder, 'long.csv'), series);
    const { default: mutable } = await import('node:fs');
    const { writeSync } = mutable;
    // The first block, the second, the header.
    for (const failing of [1, 2, 3]) {
      let calls = 0;
      mutable.writeSync = ((...args: Parameters<typeof writeSync>) => {
        if (++calls === failing) throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
        return writeSync(...args);
      }) as typeof writeSync;
      syncBuiltinESMExports();
      try {
        const error = await open('long.csv').then(undefined, (thrown: unknown) => thrown);
        expect(error, `write ${failing}`).to.be.instanceOf(ServiceError).with.property('code', 'file.unwritable');
        expect((error as Error).message).to.include('no space left');
      } finally {
        mutable.writeSync = writeSync;
        syncBuiltinESMExports();
      }
      expect(fs.readdirSync(store)).to.deep.equal([]);
    }
    expect((await open('long.csv')).file.rows).to.equal(17_000);
  });

  it('reports that its folder cannot be created', async () => {
    fs.writeFileSync(path.join(folder, 'cache'), 'a file');
    const error = await open().then(undefined, (thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(ServiceError).with.property('code', 'file.unwritable');
  });

  it('removes the least recently used files and day-old drafts, but no file in use', async () => {
    const sources: TickSource[] = [];
    for (const [i, name] of ['a.csv', 'b.csv', 'c.csv'].entries()) {
      writeTicks(path.join(folder, name), syntheticTicks({ seed: i + 1, count: 300 }));
      sources.push(await open(name));
    }
    const [a, b, c] = sources as [TickSource, TickSource, TickSource];
    for (const [source, usedS] of [
      [a, 3e6],
      [b, 1e6],
      [c, 2e6],
    ] as const)
      fs.utimesSync(ticksOf(source), usedS, usedS);
    for (const [draft, usedS] of [
      ['.old.draft', 1e6],
      ['.new.draft', 4e9],
    ] as const) {
      fs.writeFileSync(path.join(store, draft), '');
      fs.utimesSync(path.join(store, draft), usedS, usedS);
    }
    const size = HEADER_BYTES + 16 * 300;
    await open('a.csv', 2 * size);
    expect([a, b, c].map((source) => fs.existsSync(ticksOf(source)))).to.deep.equal([true, false, true]);
    await open('b.csv', 1);
    expect([a, b, c].map((source) => fs.existsSync(ticksOf(source)))).to.deep.equal([false, true, false]);
    expect(fs.readdirSync(store).sort()).to.deep.equal(['.new.draft', `${b.file.sha256}.ticks`]);
  });
});
