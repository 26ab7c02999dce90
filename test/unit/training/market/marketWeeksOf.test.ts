import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { expect } from 'chai';
import { marketWeeksOf } from '../../../../training/market/marketWeeksOf.ts';
import { marketTicks } from '../../../support/marketTicks.ts';
import { writeTicks } from '../../../support/writeTicks.ts';

describe('files without --horizon', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'tickmark-weeks-'));
    writeTicks(path.join(folder, 'five.csv'), marketTicks({ seed: 1, weeks: 5, gapS: 120 }));
    writeTicks(path.join(folder, 'other.csv'), marketTicks({ seed: 2, weeks: 5, gapS: 120, price: 3 }));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const weeksOf = async (names: readonly string[], untilUs = Infinity) =>
    marketWeeksOf(
      names.map((name) => path.join(folder, name)),
      { reading: {}, cacheDir: path.join(folder, 'cache'), fromUs: -Infinity, untilUs },
    );

  it('are a market from four weeks on', async () => {
    const { isOneMarket, weeks } = await weeksOf(['five.csv']);
    expect([isOneMarket, Math.round(weeks)]).to.deep.equal([true, 5]);
    expect((await weeksOf(['five.csv'], Date.UTC(2023, 0, 20) * 1000)).isOneMarket).to.equal(false);
  });

  it('are none where they are of two markets', async () => {
    expect((await weeksOf(['five.csv', 'other.csv'])).isOneMarket).to.equal(false);
  });
});
