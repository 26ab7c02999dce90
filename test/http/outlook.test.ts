import { expect } from 'chai';
import { formatTimestamps } from '../../clients/typescript/src/tickBody.ts';
import type { ChanceAbove, RangeBand, TouchAnswer } from '../../src/contract/outlook.ts';
import { suiteService } from '../support/accountService.ts';
import { EXAMPLE_MODEL_ID } from '../../src/contract/exampleIds.ts';
import { LiveSocket } from '../support/liveSocket.ts';
import { until } from '../support/until.ts';
import { walkTicks } from '../support/walkTicks.ts';

const TICKS = walkTicks({ seed: 31, count: 1500 });
const LAST = TICKS.prices[399];
type Outlook = { range?: RangeBand[]; above?: ChanceAbove; touch?: TouchAnswer };
type Entry = Outlook & { detail?: Outlook };

/** 400 ticks that end before tick `end`, and a future timestamp 10 s later. */
function body(end = 400, hasFuture = true): { Timestamp: string[]; Price: number[] } {
  const times = [...TICKS.timesUs.slice(end - 400, end)];
  const [future, price] = hasFuture ? [[times.at(-1)! + 10e6], [0]] : [[], []];
  return { Timestamp: formatTimestamps([...times, ...future]), Price: [...TICKS.prices.slice(end - 400, end), ...price] };
}

describe('ranges and the chance above a price over HTTP', () => {
  const rig = suiteService('sqlite', { MODEL: EXAMPLE_MODEL_ID });
  let key: string;
  before(async () => {
    key = String((await rig.signUp('trader@example.com')).json['api_key']);
  });
  const ask = async (query: string, sent: object = body(), path = '/auth/ti-tick') => {
    const answer = await rig.withKey(key, `${path}${query}`, { body: sent });
    expect(answer.status, answer.text).to.equal(200);
    return answer.json;
  };
  const asked = `range=0.9,0.5&above=${LAST}&touch=${LAST * 1.0002},${LAST * 0.9999}&first`;
  const fieldsOf = ({ range, above, touch }: Entry): object => ({ range, above, touch });

  it('stand next to the mark in every form of the answer, and in the explanation', async () => {
    const sent = body();
    const last = (await ask(`?answer=last&${asked}`)) as Entry;
    expect(last.range!.map(({ level }) => level)).to.deep.equal([0.9, 0.5]);
    expect(last.above).to.deep.equal({ price: LAST, probability: 0.5, reason: null });
    const { levels, neither, reach } = last.touch!;
    expect(levels[0].first! + levels[1].first! + neither!).to.be.closeTo(1, 1e-12);
    expect(reach.map(({ level }) => level)).to.deep.equal([0.5, 0.8, 0.9]);
    const full = (await ask(`?detail=full&${asked}`))[sent.Timestamp.at(-1)!] as Entry;
    expect(fieldsOf(full)).to.deep.equal(fieldsOf(last));
    expect(fieldsOf(full.detail!)).to.deep.equal(fieldsOf(last));
    const { results } = (await ask(`?answer=last&${asked}`, { items: [sent, sent] }, '/auth/ti-tick/batch')) as {
      results: { body: Entry }[];
    };
    for (const one of results) expect(fieldsOf(one.body)).to.deep.equal(fieldsOf(last));
    const { forecasts } = (await ask(`?horizons=10s,60s&${asked}`, body(400, false))) as { forecasts: Entry[] };
    expect(fieldsOf(forecasts[0])).to.deep.equal(fieldsOf(last));
    expect(forecasts[1].range).to.have.length(2);
    const plain = (await ask('?answer=last')) as Entry;
    expect(plain).to.not.have.any.keys('range', 'above', 'touch');
  });

  it('are corrected by the outcomes of the series, which the answer counts', async () => {
    let last: Entry = {};
    for (let end = 400; end < 1500; end += 40) last = (await ask('?answer=last&series=s&range=0.5,0.9', body(end))) as Entry;
    const [half, most] = last.range!;
    for (const { coverage } of [half!, most!]) {
      expect(coverage!.outcomes).to.be.above(15);
      expect(coverage!.covered).to.be.within(0, 1);
    }
    const alone = (await ask('?answer=last&range=0.5,0.9&series=s&memory=off', body(1480))) as Entry;
    expect(alone.range!.map(({ coverage }) => coverage)).to.deep.equal([null, null]);
    expect(alone.range![1].move_bps).to.not.equal(most!.move_bps);
  });

  it('are refused with the field, the rule and the value', async () => {
    const refused: readonly [query: string, pointer: string, code: string, words: string][] = [
      [`touch=${Array.from({ length: 17 }, (_, i) => i + 1).join(',')}`, '?touch', 'query.malformed', 'at most 16'],
      ['first', '?first', 'query.malformed', 'touch'],
      ['touch=1&first', '?first', 'touch.out_of_range', '1'],
      ['touch=1,2&first=no', '?first', 'query.malformed', 'no'],
    ];
    for (const [query, pointer, code, words] of refused) {
      const answer = await rig.withKey(key, `/auth/ti-tick?${query}`, { body: body() });
      const [error] = answer.json['errors'] as { pointer: string; code: string; detail: string }[];
      expect([answer.status, error!.pointer, error!.code], query).to.deep.equal([422, pointer, code]);
      expect(error!.detail, query).to.include(words);
    }
  });

  it('come with the forecasts of a live series, and with asked ones', async () => {
    const live = new LiveSocket(rig.service.url, { key });
    try {
      await live.opened;
      live.send({
        type: 'open',
        series: 'l',
        forecasts: [
          { horizon: '10s', every: '20s', range: [0.9, 0.5], above: LAST, touch: [LAST * 1.0002, LAST * 0.9999], first: 'on', ticks: 400 },
        ],
      });
      live.send({ type: 'ticks', series: 'l', ...body(400, false) });
      live.send({ type: 'ask', series: 'l', horizon: '10s', range: [0.8], detail: true });
      const { range, above, touch } = (await live.next('forecast')) as Entry;
      expect(touch!.levels[0].price).to.equal(LAST * 1.0002);
      expect(range!.map(({ level }) => level)).to.deep.equal([0.9, 0.5]);
      expect(above!.price).to.equal(LAST);
      live.send({ type: 'open', series: 'x', forecasts: [{ horizon: '10s', every: '20s', range: [0.2] }] });
      expect((await live.next('error')).errors![0].pointer).to.equal('/forecasts/0/range/0');
      await until(() => live.of('forecast').some(({ id }) => id === 'ask'));
      const [from, to] = [400, 800];
      live.send({
        type: 'ticks',
        series: 'l',
        Timestamp: formatTimestamps([...TICKS.timesUs.slice(from, to)]),
        Price: [...TICKS.prices.slice(from, to)],
      });
      const outcome = (await live.next('outcome')) as { touched?: boolean[]; first?: number | null };
      expect(outcome.touched).to.have.length(2);
      expect(outcome.first).to.be.oneOf([LAST * 1.0002, LAST * 0.9999, null]);
      const answered = live.of('forecast').find(({ id }) => id === 'ask') as unknown as Entry;
      expect(answered.range!.map(({ level }) => level)).to.deep.equal([0.8]);
    } finally {
      live.socket.terminate();
    }
  });
});
