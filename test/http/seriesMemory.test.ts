import { expect } from 'chai';
import { formatTimestamps } from '../../clients/typescript/src/tickBody.ts';
import type { ForecastDetail } from '../../src/contract/forecastDetail.ts';
import { startAccountService, type AccountRig } from '../support/accountService.ts';
import { makeStoreLocation, type StoreLocation } from '../support/eachStore.ts';
import { FakeClock } from '../support/FakeClock.ts';
import { MEMORY_LINE } from '../support/fakeForecaster.ts';
import { walkTicks } from '../support/walkTicks.ts';

const TICKS = walkTicks({ seed: 21, count: 3000 });
/** Origins of the requests; the windows of 250 ticks overlap. */
const ENDS = Array.from({ length: 30 }, (_, i) => 250 + 90 * i);

const body = (end: number, horizonS?: number): object => {
  const times = TICKS.timesUs.slice(end - 250, end);
  const future = horizonS === undefined ? [] : [times.at(-1)! + horizonS * 1e6];
  return {
    Timestamp: formatTimestamps([...times, ...future]),
    Price: [...TICKS.prices.slice(end - 250, end), ...(horizonS === undefined ? [] : [0])],
  };
};

describe('memory of series over HTTP', function () {
  this.timeout(60_000);
  let place: StoreLocation;
  const rigs: AccountRig[] = [];
  let key: unknown;

  before(async function () {
    place = await makeStoreLocation('sqlite', this);
    // With the time of the machine, a memory is left out where its store does not answer within 500 ms.
    const clock = new FakeClock();
    for (let i = 0; i < 2; i++) rigs.push(await startAccountService(place, {}, { memory: MEMORY_LINE, isAlone: false, clock }));
    key = (await rigs[0].signUp('trader@example.com')).json['api_key'];
  });
  after(async () => {
    for (const rig of rigs) await rig.close();
    await place?.dispose();
  });
  const detailOf = async (end: number, query: string, rig = rigs[0], horizonS = 10): Promise<ForecastDetail> => {
    const answer = await rig.withKey(key, `/auth/ti-tick?answer=last&detail=full${query}`, { body: body(end, horizonS) });
    expect(answer.status, answer.text).to.equal(200);
    return answer.json['detail'] as unknown as ForecastDetail;
  };
  const answerOf = ({ opportunity, logit, reasons, memory }: ForecastDetail): object => ({ opportunity, logit, reasons, memory });

  it('gives the same answers by one process and by two in turn, and they differ from those of windows alone', async () => {
    const [one, two] = [[], []] as object[][];
    for (const [i, end] of ENDS.entries()) {
      one!.push(answerOf(await detailOf(end, '&series=one')));
      two!.push(answerOf(await detailOf(end, '&series=two', rigs[i % 2])));
    }
    expect(two).to.deep.equal(one);
    const last = await detailOf(ENDS.at(-1)!, '&series=one');
    expect(answerOf(last), 'a repeated request').to.deep.equal(one!.at(-1));
    expect(last.memory).to.include({ used: true, reason: null });
    expect(last.memory!.outcomes).to.be.above(15);
    expect(Object.keys(last.memory!.inputs!)).to.deep.equal(['hour', 'cal', 'prof', 'prof_day', 'share_100', 'share_400']);
    const { baseline, network, memory, rules, total } = last.logit!;
    expect(memory).to.not.equal(0);
    expect(baseline + network + memory! + rules).to.be.closeTo(total, 1e-12);
    const alone = await detailOf(ENDS.at(-1)!, '');
    expect([alone.memory, alone.logit!.memory]).to.deep.equal([undefined, undefined]);
    expect(alone.logit!.total + memory!).to.be.closeTo(total, 1e-9);
  });

  it('learns within a batch as by single requests, also of several series in one', async () => {
    const names = ENDS.map((_, i) => (i % 3 === 0 ? 'batch-a' : 'batch-b'));
    const alone: object[] = [];
    for (const [i, end] of ENDS.entries()) alone.push(answerOf(await detailOf(end, `&series=alone-${names[i]}`)));
    const answer = await rigs[0].withKey(key, `/auth/ti-tick/batch?answer=last&detail=full&series=${names.join()}`, {
      body: { items: ENDS.map((end) => body(end, 10)) },
    });
    const results = answer.json['results'] as { body: { detail: ForecastDetail } }[];
    expect(results.map((result) => answerOf(result.body.detail))).to.deep.equal(alone);
    const wrong = await rigs[0].withKey(key, '/auth/ti-tick/batch?series=a,b', { body: { items: [body(ENDS[0], 10)] } });
    expect([wrong.status, wrong.text]).to.satisfy(([status, text]: [number, string]) => status === 422 && text.includes('it is 2 names'));
  });

  it('neither uses nor keeps anything with memory=off', async () => {
    for (const end of ENDS.slice(0, 8)) {
      const off = await detailOf(end, '&series=off&memory=off');
      expect(off.memory).to.equal(undefined);
      expect(off.logit).to.deep.equal((await detailOf(end, '')).logit);
    }
    const first = await detailOf(ENDS[8], '&series=off');
    expect(first.memory).to.include({ used: true, outcomes: 0 });
    expect(first.memory!.since).to.equal((body(ENDS[8]) as { Timestamp: string[] }).Timestamp[0]);
  });

  it('does not use a memory that knows later ticks', async () => {
    const detail = await detailOf(ENDS[3], '&series=one');
    expect(detail.memory).to.deep.equal({ used: false, reason: 'other_origin', since: null, outcomes: 0, inputs: null });
    expect(detail.logit).to.deep.equal((await detailOf(ENDS[3], '')).logit);
  });

  it('learns from each horizon of one request, and falls with the threshold', async () => {
    for (const end of ENDS) {
      const answer = await rigs[end % 2].withKey(key, '/auth/ti-tick?series=many&horizons=10s,60s&min_move_bps=0.5,1,2,4&detail=full', {
        body: body(end),
      });
      expect(answer.status, answer.text).to.equal(200);
      const { forecasts } = answer.json as unknown as { forecasts: { horizon: string; detail: ForecastDetail }[] };
      for (const horizon of ['10s', '60s']) {
        const of = forecasts.filter((one) => one.horizon === horizon).map(({ detail }) => detail);
        expect(new Set(of.map(({ memory }) => memory!.outcomes)).size).to.equal(1);
        const logits = of.map(({ logit }) => logit!.total);
        expect(logits).to.deep.equal(logits.toSorted((a, b) => b - a));
        if (end === ENDS.at(-1)) expect(of[0].memory!.outcomes).to.be.above(horizon === '10s' ? 15 : 8);
      }
    }
  });

  it('is exported with its account, and deleted with it', async () => {
    expect((await place.dump()).includes('many')).to.equal(true);
    await rigs[0].asOwner('trader@example.com', '/account', { method: 'DELETE' });
    expect((await place.dump()).includes('many')).to.equal(false);
  });
});
