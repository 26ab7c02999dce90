import { mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { expect } from 'chai';
import { RowCache } from '../../../../training/data/RowCache.ts';
import { randomRows } from '../../../support/randomRows.ts';

const counts = { used: 50, data_ends: 1, session_gap: 2, level_changed: 0, no_features: 3, window_too_short: 4 };

describe('RowCache', () => {
  let folder: string;
  let made: number;
  const make = () => {
    made++;
    return Promise.resolve({ rows: randomRows({ count: 50, draws: 2 }), counts });
  };
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'tickmark-rows-'));
    made = 0;
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('computes the rows of a key once, then returns the same bits', async () => {
    const first = await new RowCache(folder).get({ data: 'a' }, make);
    const again = await new RowCache(folder).get({ data: 'a' }, make);
    expect(made).to.equal(1);
    expect(again).to.deep.equal(first);
    expect(again.rows.sequence.buffer).to.be.instanceOf(SharedArrayBuffer);
  });

  it('computes other rows for another key', async () => {
    await new RowCache(folder).get({ data: 'a' }, make);
    await new RowCache(folder).get({ data: 'b' }, make);
    expect(made).to.equal(2);
    expect(readdirSync(folder)).to.have.length(2);
  });

  it('computes the rows again if the file is truncated, changed or not a cache file', async () => {
    const cache = new RowCache(folder);
    const first = await cache.get('key', make);
    const file = path.join(folder, readdirSync(folder)[0]);
    for (const damage of [
      () => truncateSync(file, 20_000),
      () => truncateSync(file, 10),
      () => writeFileSync(file, 'x', { flag: 'r+' }),
      () => writeFileSync(file, Buffer.alloc(1), { flag: 'r+' }),
    ]) {
      damage();
      expect(await cache.get('key', make)).to.deep.equal(first);
    }
    expect(made).to.equal(5);
  });
});
