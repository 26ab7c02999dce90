import { writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import { FeedHorizons } from '../../../src/cli/files/refuseShortHorizon.ts';
import { replayLive } from '../../../src/cli/mcp/liveTool.ts';
import { readInput } from '../../../src/cli/mcp/toolInputs.ts';
import { writeTimestamp } from '../../../src/ticks/timestamps.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';

const START_US = Date.UTC(2024, 0, 2, 9) * 1000;
const TOO_SHORT = 'the prices are 60 s apart: within 90 s entry and exit are the same price; the shortest horizon is 120 s.';

/** What a call throws in place of a forecast. */
const faultOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'no fault',
    (error: Error) => error.message,
  );

describe('a horizon under two periods of closes that are read as ticks', () => {
  const folder = temporaryFolder();
  const file = path.join(folder, 'bars.csv');
  const rows = Array.from({ length: 300 }, (_, i) => `${writeTimestamp(START_US + i * 60e6)},${100 + (i % 7) / 10}`);
  writeFileSync(file, ['timestamp,price', ...rows].join('\n'));
  const notOpened = () => Promise.reject(new Error('a forecaster was opened'));

  it('is refused by the tools of MCP, alone and among others', async () => {
    const checks = { tickRequest: () => undefined, observedTicks: () => undefined } as unknown as Parameters<typeof readInput>[1];
    const read = (input: object) => faultOf(readInput({ file, ...input }, checks, () => Promise.resolve(200)));
    for (const input of [{ horizon: '90s' }, { horizons: ['90s'] }, { horizons: ['5m', '90s'] }])
      expect(await read(input), JSON.stringify(input)).to.equal(`${file}: ${TOO_SHORT}`);
    expect(await read({ horizons: ['2m', '5m'] })).to.equal('no fault');
    for (const horizons of [['90s'], ['5m', '90s']])
      expect(await faultOf(replayLive({ file, horizons }, notOpened))).to.equal(`${file}: ${TOO_SHORT}`);
    expect(await faultOf(replayLive({ file, horizons: ['2m'] }, notOpened))).to.equal('a forecaster was opened');
  });

  it('is refused by live before the first forecast of a series, in blocks of any size', () => {
    const ticks = Array.from({ length: 600 }, (_, i) => ({ name: i % 2 === 0 ? 'ticks' : 'bars', timeUs: START_US + (i >> 1) * 60e6 }));
    // Trades of the other series are irregular.
    const timeOf = ({ name, timeUs }: { name: string; timeUs: number }, i: number) =>
      name === 'ticks' ? timeUs + ((i * i) % 29) * 2e6 : timeUs;
    for (const size of [1, 7, 600]) {
      const check = (horizonUs: number): number => {
        const horizons = new FeedHorizons([horizonUs]);
        for (let from = 0; from < ticks.length; from += size) {
          const block = ticks.slice(from, from + size);
          try {
            horizons.check({ series: block.map(({ name }) => name), timesUs: block.map((tick, i) => timeOf(tick, from + i)) });
          } catch (error) {
            expect((error as Error).message).to.equal(`bars: ${TOO_SHORT}`);
            return from;
          }
        }
        return -1;
      };
      expect(check(90e6), `blocks of ${size}`).to.be.within(397 - size, 397);
      expect(check(120e6), `blocks of ${size}`).to.equal(-1);
    }
  });
});
