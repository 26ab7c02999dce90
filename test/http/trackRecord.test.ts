import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { expect } from 'chai';
import { formatTimestamps } from '../../clients/typescript/src/tickBody.ts';
import type { RangeBand } from '../../src/contract/outlook.ts';
import type { TrackRecordAnswer } from '../../src/contract/trackRecord.ts';
import { BPS_PER_UNIT } from '../../src/core/units.ts';
import { labelOrigin } from '../../src/engine/features/labelOrigin.ts';
import { wilsonInterval } from '../../src/engine/scoring/wilsonInterval.ts';
import { startAccountService, suiteService } from '../support/accountService.ts';
import { cliRun } from '../support/cliRun.ts';
import { STORE_KINDS } from '../support/eachStore.ts';
import type { Answer } from '../support/request.ts';
import { walkTicks } from '../support/walkTicks.ts';

/** A tick each half second; the price moves by 20 basis points every 7 ticks. */
const PRICES = Array.from({ length: 400 }, (_, i) => 100 + (i % 7) / 100 + (Math.floor(i / 7) % 2) / 5);
const TIMES_US = PRICES.map((_, i) => Date.UTC(2024, 0, 2, 9) * 1000 + i * 500_000);

/** Ticks [from, to) and a future timestamp 10 s later. */
function body(from: number, to: number): { Timestamp: string[]; Price: number[] } {
  const futureUs = (TIMES_US[to - 1] as number) + 10_000_000;
  return { Timestamp: formatTimestamps([...TIMES_US.slice(from, to), futureUs]), Price: [...PRICES.slice(from, to), 0] };
}

for (const kind of STORE_KINDS)
  describe(`track record over HTTP: ${kind}`, function () {
    this.timeout(60_000);
    const rig = suiteService(kind);
    let key: unknown;

    before(async () => {
      key = (await rig.signUp('trader@example.com')).json['api_key'];
    });
    const forecast = (query: string, from: number, to: number): Promise<Answer> =>
      rig.withKey(key, `/auth/ti-tick?${query}`, { body: body(from, to) });
    const recordOf = async (query = ''): Promise<TrackRecordAnswer> => {
      const answer = await rig.withKey(key, `/auth/track-record${query}`);
      expect(answer.status, answer.text).to.equal(200);
      return answer.json as unknown as TrackRecordAnswer;
    };

    it('is empty without forecasts of a series', async () => {
      expect((await forecast('answer=last', 0, 250)).status).to.equal(200);
      const { rows, sum, ...rest } = await recordOf();
      expect(rows).to.deep.equal([]);
      expect(sum).to.include({ forecasts: 0, outcomes: 0, precision: null, brier: null });
      const none = { difference: null, interval: null, base_rate_difference: null, base_rate_interval: null, rival: null };
      expect(rest).to.deep.equal({ kept: true, conclusion: 'too_few', ...none });
    });

    it('scores a forecast by a later request of the series, with the probabilities of the answer', async () => {
      const answer = await forecast('series=eurusd&answer=last&detail=full&min_move_bps=5', 0, 250);
      const detail = answer.json['detail'] as { opportunity: { probability: number }; logit: { baseline: number } };
      expect(answer.json).to.have.all.keys('timestamp', 'trend_identified', 'status', 'reason', 'detail', 'memory_unused');
      await forecast('series=eurusd', 10, 260);
      await forecast('series=other', 100, 300);
      expect((await recordOf('?series=eurusd')).sum).to.include({ forecasts: 2, outcomes: 0, unscored: 2 });
      await forecast('series=eurusd', 40, 271);
      const { rows, sum } = await recordOf('?series=eurusd');
      const own = rows.find((row) => row.own_threshold);
      const { probability } = detail.opportunity;
      const baseline = 1 / (1 + Math.exp(-detail.logit.baseline));
      expect(own).to.include({ series: 'eurusd', model: 'small', bucket: 'h30s', forecasts: 1, outcomes: 1, unscored: 0 });
      const moved = own?.moved as number;
      expect(own?.brier_sum).to.be.closeTo((probability - moved) ** 2, 1e-12);
      expect(own?.baseline_brier_sum).to.be.closeTo((baseline - moved) ** 2, 1e-12);
      // Before its first outcome, a series has taught the baselines nothing.
      expect(own?.base_rate_sums?.brier_sum).to.be.closeTo((1 / (1 + Math.exp(1.5)) - moved) ** 2, 1e-12);
      expect(sum).to.include({ forecasts: 3, outcomes: 1, unscored: 2 });
      expect(new Set(rows.map(({ day }) => day))).to.deep.equal(new Set(['2024-01-02']));
    });

    it('books a recording on the days of its ticks, next to forecasts of today; stamps ahead of the clock are of today', async () => {
      const shifted = (toMs: number) => {
        const sent = body(0, 250);
        return { ...sent, Timestamp: formatTimestamps(TIMES_US.slice(0, 251).map((us) => us - TIMES_US[249] + toMs * 1000)) };
      };
      const [from, year] = [new Date().toISOString().slice(0, 10), 365 * 86_400_000];
      for (const toMs of [Date.UTC(2018, 5, 1), Date.now(), Date.now() + year])
        expect((await rig.withKey(key, '/auth/ti-tick?series=both', { body: shifted(toMs) })).status).to.equal(200);
      const { rows } = await recordOf('?series=both');
      const forecasts = (some: typeof rows) => some.reduce((sum, row) => sum + row.forecasts, 0);
      expect(rows[0]).to.include({ day: '2018-06-01', forecasts: 1, unscored: 1 });
      expect(forecasts(rows.filter(({ day }) => day >= from && Date.parse(day) <= Date.now()))).to.equal(2);
      expect(forecasts((await recordOf(`?series=both&from=${from}`)).rows)).to.equal(2);
    });

    it('filters by series, version and day, and refuses bad filters with the field, the rule and the value', async () => {
      expect((await recordOf()).sum.forecasts).to.equal(7);
      expect((await recordOf('?series=other')).sum.forecasts).to.equal(1);
      expect((await recordOf('?model=none')).rows).to.deep.equal([]);
      expect((await recordOf('?model=small')).sum.forecasts).to.equal(7);
      expect((await recordOf('?model=small-2026-11-27')).rows).to.deep.equal([]);
      expect((await recordOf('?to=2018-05-31')).rows).to.deep.equal([]);
      expect((await recordOf('?from=2024-01-02&to=2024-02-29')).sum.forecasts).to.equal(4);
      for (const [query, pointer, words] of [
        ['series=a%20b', '?series', 'a b'],
        [`series=${'x'.repeat(65)}`, '?series', '1 to 64'],
        ['series=', '?series', '1 to 64'],
        ['from=2023-02-29', '?from', '2023-02-29'],
        ['to=yesterday', '?to', 'a day such as 2026-01-31'],
        ['from=2024-02-02&to=2024-02-01', '?to', '2024-02-02 or later'],
        ['horizon=1', '?horizon', 'not a query parameter'],
      ]) {
        const { status, json } = await rig.withKey(key, `/auth/track-record?${query}`);
        const [error] = json['errors'] as { pointer: string; detail: string }[];
        expect([status, error?.pointer], query).to.deep.equal([422, pointer]);
        expect(error?.detail).to.include(words);
      }
      expect((await forecast('series=a/b', 0, 250)).status).to.equal(422);
      expect((await rig.ask('/auth/track-record')).status).to.equal(401);
    });

    it('seals each forecast and outcome, so that a stranger can check a download, also against ticks', async () => {
      const sealed = async (): Promise<string> => (await rig.withKey(key, '/auth/track-record/sealed')).text;
      const [earlier, text] = [await sealed(), await sealed()];
      const folder = await mkdtemp(path.join(tmpdir(), 'tickmark-record-'));
      const files = ['earlier', 'text', 'changed', 'ticks.csv', 'other.csv'].map((name) => path.join(folder, name));
      const ticks = (prices: readonly number[]): string =>
        ['timestamp,price', ...TIMES_US.map((us, i) => `${us / 1000},${prices[i]}`), ''].join('\n');
      const outcome = /\["o",.*([01])\]/.exec(text)!;
      const changed = text.replace(outcome[0], outcome[0].replace(/.\]$/, outcome[1] === '1' ? '0]' : '1]'));
      // The price stays where the record says that it moved, and goes on rising where it says that it did not.
      const opposite = TIMES_US.map((_, at) => (outcome[1] === '1' ? 100 : 100 + at / 10));
      const contents = [earlier, text, changed, ticks(PRICES), ticks(opposite)];
      try {
        await Promise.all(files.map((file, i) => writeFile(file, contents[i])));
        const verify = (...args: string[]) => cliRun({}, 'record', 'verify', '--series', 'eurusd', ...args);
        const held = await verify(files[1], '--published', files[0], '--ticks', files[3]);
        expect([held.code, held.err], held.out).to.deep.equal([0, '']);
        expect(held.out)
          .to.include('Published seals that hold: 1;')
          .and.include('3 forecasts')
          .and.include('the record says otherwise of 0');
        const found = await verify(files[2]);
        expect(found.code).to.equal(1);
        expect(found.out).to.match(/does not hold: line \d+: a line of its block/);
        const wrong = await verify(files[1], '--ticks', files[4], '--json');
        expect([wrong.code, (JSON.parse(wrong.out) as { differing: number }).differing]).to.deep.equal([1, 1]);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
      expect((await rig.withKey(key, '/auth/track-record/sealed?series=eurusd')).status).to.equal(422);
      expect((await rig.ask('/auth/track-record/sealed')).status).to.equal(401);
    });

    it('is shown to an operator, by tickmark track-record', async () => {
      const shown = await cliRun(rig.place.env, 'track-record', 'trader@example.com');
      expect([shown.code, shown.err]).to.deep.equal([0, '']);
      expect(shown.out).to.match(/^trader@example\.com, .* days with forecasts: 3$/m);
      expect(shown.out)
        .to.match(/^eurusd +small +h30s +own +1 +1 +0 /m)
        .and.match(/^all +7 +1 +6 /m);
      expect(shown.out).to.include('The probabilities cannot be told apart from');
      const { out } = await cliRun(rig.place.env, 'track-record', 'trader@example.com', '--series', 'other', '--json');
      expect(JSON.parse(out)).to.deep.include({ email: 'trader@example.com', forecasts: 1, outcomes: 0, conclusion: 'too_few' });
      const none = await cliRun(rig.place.env, 'track-record', 'trader@example.com', '--to', '2018-01-31');
      expect(none.out).to.equal('trader@example.com has no forecasts in its track record.\n');
      expect((await cliRun(rig.place.env, 'track-record', 'trader@example.com', '--from', '2024-13-01')).code).to.equal(2);
      const turned = await cliRun(rig.place.env, 'track-record', 'trader@example.com', '--from', '2024-02-02', '--to', '2024-02-01');
      expect(turned.err).to.include('--to must not be before --from');
      expect((await cliRun(rig.place.env, 'track-record', 'missing@example.com')).code).to.equal(1);
    });

    it('counts the ranges that were asked for, for account and operator', async () => {
      const ticks = walkTicks({ seed: 21, count: 3000 });
      const ask = async (end: number): Promise<RangeBand> => {
        const times = [...ticks.timesUs.slice(end - 250, end), ticks.timesUs[end - 1] + 60e6];
        const given = { Timestamp: formatTimestamps(times), Price: [...ticks.prices.slice(end - 250, end), 0] };
        const { json } = await rig.withKey(key, '/auth/ti-tick?series=ranges&answer=last&range=0.5,0.75', { body: given });
        return (json['range'] as unknown as RangeBand[])[0];
      };
      const origin = 250;
      const { move_bps: bps } = await ask(origin);
      const passed = ticks.timesUs.findIndex((us) => us > ticks.timesUs[origin - 1] + 60e6);
      await ask(passed + 1);
      const label = labelOrigin(ticks, origin - 1, 60, 1800);
      const covered = Math.abs((label as { move: number }).move) * BPS_PER_UNIT <= bps! ? 1 : 0;
      const { rows, sum } = await recordOf('?series=ranges');
      const counted = { level: 0.5, outcomes: 1, covered, overlap_sum: 1 };
      expect(rows.flatMap(({ coverage }) => coverage)).to.deep.equal([counted]);
      expect(sum.coverage).to.deep.equal([{ ...counted, share: covered, interval: wilsonInterval(covered, 1, 2.5758) }]);
      const { out } = await cliRun(rig.place.env, 'track-record', 'trader@example.com', '--series', 'ranges');
      expect(out).to.match(new RegExp(`^50 % ranges: ${100 * covered}\\.0 % of the moves within \\(${covered} of 1; 99 % interval `, 'm'));
    });

    it('survives a restart, counts what was open as unscored, and goes with the account', async () => {
      await rig.close();
      Object.assign(rig, await startAccountService(rig.place));
      await forecast('series=eurusd', 60, 330);
      expect((await recordOf('?series=eurusd')).sum).to.include({ forecasts: 4, outcomes: 1, unscored: 3 });
      const { out } = await cliRun(rig.place.env, 'track-record', 'trader@example.com', '--json');
      const { id } = JSON.parse(out) as { id: string };
      expect((await rig.asOwner('trader@example.com', '/account', { method: 'DELETE' })).status).to.equal(200);
      expect((await rig.withKey(key, '/auth/track-record')).status).to.equal(401);
      await rig.close();
      const { openNamedStore } = await import('../support/openNamedStore.ts');
      const store = await openNamedStore(kind, rig.place.place);
      expect(await store.listRecords({ accountId: id, limit: 9 })).to.deep.equal([]);
      await store.close();
      Object.assign(rig, await startAccountService(rig.place, { TRACK_RECORD: 'false' }));
      key = (await rig.signUp('other@example.com')).json['api_key'];
      await forecast('series=eurusd', 0, 250);
      expect(await recordOf()).to.deep.include({ kept: false, rows: [] });
    });
  });
