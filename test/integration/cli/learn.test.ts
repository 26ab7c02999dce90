import { writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import { startAccountService, type AccountRig } from '../../support/accountService.ts';
import { cliRun, type CliRun } from '../../support/cliRun.ts';
import { makeStoreLocation, STORE_KINDS, type StoreLocation } from '../../support/eachStore.ts';
import { MEMORY_LINE } from '../../support/fakeForecaster.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';
import { walkTicks } from '../../support/walkTicks.ts';
import { formatTimestamp } from '../../../src/ticks/timestamps.ts';

const TICKS = walkTicks({ seed: 5, count: 2400 });
const STAMPS = Array.from(TICKS.timesUs, (us) => formatTimestamp(us));
const csv = (from: number, to: number): string =>
  ['time,price', ...STAMPS.slice(from, to).map((stamp, i) => `${stamp},${TICKS.prices[from + i]}`)].join('\n');

/** Bars of five minutes, made of four prices each. */
function barsCsv(count: number): string {
  const rows = ['time,open,high,low,close'];
  for (let i = 0; i < count; i++) {
    const four = TICKS.prices.slice(4 * i, 4 * i + 4);
    rows.push([formatTimestamp(TICKS.timesUs[0] + i * 300e6), four[0], Math.max(...four), Math.min(...four), four[3]].join(','));
  }
  return rows.join('\n');
}

for (const kind of STORE_KINDS)
  describe(`tickmark learn, while a service runs: ${kind}`, function () {
    this.timeout(120_000);
    let place: StoreLocation;
    let rig: AccountRig;
    let key: string;
    const folder = temporaryFolder();
    const learn = (file: string, ...argv: string[]): Promise<CliRun> =>
      cliRun(place.env, 'learn', path.join(folder, file), '--account', 'trader@example.com', '--series', 'a', ...argv);

    before(async function () {
      place = await makeStoreLocation(kind, this);
      rig = await startAccountService(place, {}, { memory: MEMORY_LINE });
      key = String((await rig.signUp('trader@example.com')).json['api_key']);
      for (const [name, from] of [['all', 0], ['late', 1000]] as const) writeFileSync(path.join(folder, name), csv(from, 2000)); // prettier-ignore
    });
    before(() => writeFileSync(path.join(folder, 'bars'), barsCsv(600)));
    after(async () => {
      await rig?.close();
      await place?.dispose();
    });

    const sinceOf = async (): Promise<unknown> => {
      const body = { Timestamp: [...STAMPS.slice(2000, 2300), '2199-01-01 00:00:00'], Price: [...TICKS.prices.slice(2000, 2300), 0] };
      body.Timestamp[300] = formatTimestamp(TICKS.timesUs[2299] + 60e6);
      const { json } = await rig.withKey(key, '/auth/ti-tick?answer=last&detail=full&series=a', { body });
      return (json['detail'] as { memory: { since: unknown } }).memory.since;
    };

    it('teaches a new series, and again learns nothing; a request then uses it', async () => {
      const first = await learn('late', '--json');
      expect([first.code, first.err]).to.deep.equal([0, '']);
      expect(JSON.parse(first.out)).to.deep.include({ series: 'a', learned: 1000, since: STAMPS[1000], until: STAMPS[1999], days: 0 });
      const again = await learn('late');
      expect([again.code, again.out.split('\n')[0]]).to.deep.equal([0, `Nothing new: a knows everything up to ${STAMPS[1999]}.`]);
    });

    it('refuses an older past, and begins again with it if it is told to', async () => {
      const older = await learn('all');
      expect(older.code).to.equal(2);
      expect(older.err).to.include(`The file begins at ${STAMPS[0]}, and "a" has been learning since ${STAMPS[1000]}`);
      expect(older.err).to.include('--replace');
      const replaced = await learn('all', '--replace');
      expect([replaced.code, replaced.out]).to.satisfy(
        ([code, out]: [number, string]) => code === 0 && out.includes('a has learned 2,000 ticks'),
      );
      expect(await sinceOf()).to.equal(STAMPS[0]);
    });

    it('teaches a series from two days of bars, by the horizons that were named, and refuses ticks for it afterwards', async () => {
      const argv = ['--series', 'b', '--bar-time', 'open'];
      const taught = await learn('bars', ...argv, '--horizons', '5bars,30bars', '--json');
      expect([taught.code, taught.err]).to.deep.equal([0, '']);
      const { learned, horizons } = JSON.parse(taught.out) as { learned: number; horizons: { horizon: string; outcomes: number }[] };
      expect(learned).to.equal(600);
      expect(horizons.map(({ horizon }) => horizon)).to.deep.equal(['5bars', '30bars']);
      for (const { outcomes } of horizons) expect(outcomes).to.be.above(0);
      const ticks = await learn('all', '--series', 'b');
      expect(ticks.code).to.not.equal(0);
      expect(ticks.err).to.include('"b"');
    });

    it('refuses an account that is not there, a wrong name and horizons that are none, and says which', async () => {
      const wrong: [string[], number, RegExp][] = [
        [['--account', 'no@example.com'], 1, /There is no account "no@example\.com"/],
        [['--series', 'a b'], 2, /Write 1 to 64 of/],
        [['--horizons', '60s,soon'], 1, /"?soon"?/],
      ];
      for (const [argv, code, text] of wrong) {
        const refused = await learn('all', ...argv);
        expect([refused.code, refused.out], argv.join(' ')).to.deep.equal([code, '']);
        expect(refused.err).to.match(text);
      }
    });
  });
