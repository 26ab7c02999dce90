import { expect } from 'chai';
import type { ForecastDetail } from '../../src/contract/forecastDetail.ts';
import { seededRandom } from '../../src/core/Random.ts';
import { parseTimestampUs } from '../../src/ticks/timestamps.ts';
import { type AccountRig, startAccountService, suiteService } from '../support/accountService.ts';
import { barBody, type BarBody, stampedAtOpen } from '../support/barBodies.ts';
import { makeStoreLocation, type StoreLocation } from '../support/eachStore.ts';
import { FakeClock } from '../support/FakeClock.ts';
import { BAR_MODEL, MEMORY_LINE } from '../support/fakeForecaster.ts';
import type { Answer } from '../support/request.ts';
import { sessionBars } from '../support/sessionBars.ts';

type Body = Record<string, unknown>;
type Entry = { horizon: string; timestamp: string; probability: number; detail: ForecastDetail };

const BODY = barBody(seededRandom(5), { count: 300, hasVolume: true });
const SHORT = 300;

/** Some of the bars of `lists`, without a future entry. */
const part = (lists: BarBody, from: number, to: number): Body =>
  Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, list.slice(from, to)]));
const observed = part(BODY, 0, SHORT - 1);
const numbers = (body: Body, scale: number): Body => ({
  ...body,
  Timestamp: (body['Timestamp'] as string[]).map((stamp) => parseTimestampUs(stamp) / scale),
});
const problemOf = ({ status, json }: Answer): unknown[] => {
  const [first] = (json['errors'] ?? []) as { pointer: string; code: string }[];
  return [status, first?.pointer, first?.code];
};
const withoutTimes = (detail: unknown): unknown => ({ ...(detail as object), timings_ms: null });

describe('bars over HTTP', () => {
  const rig = suiteService('sqlite', {}, { memory: MEMORY_LINE, bars: BAR_MODEL });
  let key: unknown;

  before(async () => {
    key = (await rig.signUp('bars@example.com')).json['api_key'];
  });
  const post = (body: Body, query: string, path = ''): Promise<Answer> => rig.withKey(key, `/auth/ti-tick${path}?${query}`, { body });
  const detailOf = async (body: Body, query: string): Promise<ForecastDetail> => {
    const answer = await post(body, `answer=last&detail=full&${query}`);
    expect(answer.status, answer.text).to.equal(200);
    return answer.json['detail'] as ForecastDetail;
  };

  it('answers in every form, with the timestamps as they were sent and the period that was measured', async () => {
    const full = await post(BODY, 'bar_time=close&detail=full');
    expect(Object.keys(full.json)).to.deep.equal(BODY.Timestamp);
    const { detail } = full.json[BODY.Timestamp.at(-1)!] as { detail: ForecastDetail };
    expect(detail.input).to.include({ ticks: 299, bar_period_ms: 60_000 });
    expect(detail.opportunity.probability).to.be.within(0, 1);
    for (const body of [numbers(BODY, 1000), numbers(BODY, 1), { ...BODY, Volume: BODY.Volume!.with(3, null) }]) {
      const one = await detailOf(body, 'bar_time=close');
      expect(withoutTimes(one)).to.deep.equal(withoutTimes(detail));
    }
    const { Timestamp, Close } = BODY;
    const closes = await detailOf({ Timestamp, Close }, 'bar_time=close');
    expect(closes.input.bar_period_ms).to.equal(60_000);
    expect(closes.opportunity.probability).to.not.equal(detail.opportunity.probability);
  });

  it('names the periods and horizons that a version has heads for', async () => {
    const heads = BAR_MODEL.heads.map(({ periodS, horizonS, cut }) => ({
      period_s: periodS,
      horizon_s: horizonS,
      decision_threshold: cut,
    }));
    const { models } = (await rig.withKey(key, '/models')).json as { models: { id: string; bars: unknown }[] };
    expect(models.find(({ id }) => id === 'small')!.bars).to.deep.equal(heads);
  });

  it('gives the same answer for beginnings and ends of the same bars, and another one for the wrong bar_time', async () => {
    const byOpen = stampedAtOpen(BODY);
    const [end, begin] = [await detailOf(BODY, 'bar_time=close'), await detailOf(byOpen, 'bar_time=open')];
    expect(withoutTimes(begin)).to.deep.equal(withoutTimes(end));
    expect((await detailOf(byOpen, 'bar_time=close')).horizon_ms).to.equal(end.horizon_ms + 60_000);
  });

  it('computes several horizons, in time or in bars, each equal to a request of its own', async () => {
    const inTime = await post(observed, 'bar_time=close&horizons=5m,15m&min_move_bps=1,5&detail=full');
    const inBars = await post(observed, 'bar_time=close&horizon_bars=5,15&min_move_bps=1,5&detail=full');
    const entries = ({ json }: Answer): Entry[] => json['forecasts'] as Entry[];
    expect(entries(inBars).map(({ horizon }) => horizon)).to.deep.equal(['5bars', '5bars', '15bars', '15bars']);
    const bare = (each: Entry): unknown => ({ ...each, horizon: '', detail: withoutTimes(each.detail) });
    expect(entries(inBars).map(bare)).to.deep.equal(entries(inTime).map(bare));
    const [first] = entries(inBars);
    const lists = { ...BODY, Timestamp: BODY.Timestamp.with(-1, first!.timestamp) };
    expect(withoutTimes(await detailOf(lists, 'bar_time=close&min_move_bps=1'))).to.deep.equal(withoutTimes(first!.detail));
  });

  it('answers the items of a batch as single requests, and a bad one fails alone', async () => {
    const high = BODY.High!.with(7, BODY.Low![7] - 1);
    const { json } = await post({ items: [BODY, { ...BODY, High: high }] }, 'bar_time=close&answer=last', '/batch');
    const [good, bad] = json['results'] as { status: number; body?: unknown; problem?: Body }[];
    expect(good).to.deep.equal({ status: 200, body: (await post(BODY, 'bar_time=close&answer=last')).json });
    expect(problemOf({ status: bad!.status, json: bad!.problem } as Answer)).to.deep.equal([422, '/High/7', 'bars.range_broken']);
  });

  it('names the lists that a body has in small letters', async () => {
    const small = Object.fromEntries(Object.entries(observed).map(([name, list]) => [name.toLowerCase(), list]));
    const { json } = await post(small, 'bar_time=close&horizons=5m');
    const details = (json['errors'] as { detail: string }[]).map(({ detail }) => detail);
    expect(details).to.include('"close" is not a field of this request; did you mean "Close"?');
  });

  it('names the parameter for a horizon in bars', async () => {
    const { json } = await post(observed, 'bar_time=close&horizons=5m,3bars');
    expect(json['detail']).to.include('such as 10s,60s,5m (horizon_bars=3 counts in bars); it is "3bars"');
  });

  const { Timestamp, Close, Open, High, Low } = BODY;
  const Price = Close;
  const cases: [what: string, body: Body, query: string, pointer: string, code: string][] = [
    ['bars without bar_time', BODY, '', '?bar_time', 'bar_time.required'],
    ['observed bars without bar_time', observed, 'horizons=5m', '?bar_time', 'bar_time.required'],
    ['another bar_time', BODY, 'bar_time=end', '?bar_time', 'query.malformed'],
    ['ticks with bar_time', { Timestamp, Price }, 'bar_time=close', '?bar_time', 'query.without_bars'],
    ['quotes with bar_time', { Timestamp, Bid: Price, Ask: Price }, 'bar_time=open', '?bar_time', 'query.without_bars'],
    ['ticks with horizon_bars', part({ Timestamp, Price } as never, 0, 299), 'horizon_bars=5', '?horizon_bars', 'query.without_bars'],
    ['two kinds of horizons', observed, 'bar_time=close&horizon_bars=5&horizons=5m', '?horizon_bars', 'query.malformed'],
    ['no whole bars', observed, 'bar_time=close&horizon_bars=2.5', '?horizon_bars', 'query.malformed'],
    ['0 bars', observed, 'bar_time=close&horizon_bars=0', '?horizon_bars', 'query.malformed'],
    ['the same bars twice', observed, 'bar_time=close&horizon_bars=5,5', '?horizon_bars', 'query.malformed'],
    ['bars of more than a day', observed, 'bar_time=close&horizon_bars=1441', '?horizon_bars', 'horizon_bars.out_of_range'],
    ['a future entry with horizon_bars', BODY, 'bar_time=close&horizon_bars=5', '/Close/299', 'price.not_positive'],
    ['closes and prices', { Timestamp, Close, Price }, 'bar_time=close', '/Close', 'field.unknown'],
    ['High alone', { Timestamp, Close, High }, 'bar_time=close', '/Open', 'field.missing'],
    ['ranges without Close', { Timestamp, Open, High, Low }, 'bar_time=close', '/Close', 'field.missing'],
    ['another field', { ...BODY, Vwap: Close }, 'bar_time=close', '/Vwap', 'field.unknown'],
    ['a text as Close', { Timestamp, Close: Close.with(3, '1' as never) }, 'bar_time=close', '/Close/3', 'field.wrong_type'],
    ['a text as Volume', { ...BODY, Volume: BODY.Volume!.with(3, '1') }, 'bar_time=close', '/Volume/3', 'field.wrong_type'],
    ['mixed stamps', { ...BODY, Timestamp: Timestamp.with(3, 5 as never) }, 'bar_time=close', '/Timestamp/3', 'field.wrong_type'],
    ['too few bars', { Timestamp: Timestamp.slice(101), Close: Close.slice(101) }, 'bar_time=close', '/Timestamp', 'ticks.too_few'],
    ['a cost that bars do not have', BODY, 'bar_time=close&min_move_bps=cost', '?min_move_bps', 'min_move_bps.cost_unknown'],
  ];
  for (const [what, body, query, pointer, code] of cases)
    it(`refuses ${what}`, async () => {
      expect(problemOf(await post(body, query))).to.deep.equal([422, pointer, code]);
    });

  it('counts nothing for a refused request, and one for each horizon', async () => {
    const left = ({ headers }: Answer): number => Number(/r=(\d+)/.exec(String(headers['ratelimit']))?.[1]);
    const limited = await startAccountService(rig.place, { LIMIT_FORECASTS_PER_MINUTE: '20' }, { bars: BAR_MODEL });
    try {
      const own = (await limited.signUp('limited@example.com')).json['api_key'];
      const ask = (body: Body, query: string): Promise<Answer> => limited.withKey(own, `/auth/ti-tick?${query}`, { body });
      expect(left(await ask(observed, 'bar_time=close&horizon_bars=5,15,30'))).to.equal(17);
      expect((await ask(BODY, '')).status).to.equal(422);
      expect(left(await ask(BODY, 'bar_time=close'))).to.equal(16);
    } finally {
      await limited.close();
    }
  });

  it('settles the forecasts of a series from close to close, for the track record', async () => {
    const walk = barBody(seededRandom(9), { count: 420, hasFuture: false });
    for (let end = 220; end <= 420; end += 20)
      expect((await post(part(walk, end - 210, end), 'series=record&bar_time=close&horizon_bars=10&min_move_bps=3')).status).to.equal(200);
    await rig.close();
    Object.assign(rig, await startAccountService(rig.place, {}, { memory: MEMORY_LINE, bars: BAR_MODEL }));
    const record = await rig.withKey(key, '/auth/track-record?series=record');
    const [row, ...others] = record.json['rows'] as { horizon: string; forecasts: number; outcomes: number; moved: number }[];
    expect(others).to.deep.equal([]);
    const moves = Array.from({ length: 10 }, (_, i) => 219 + 20 * i).map((at) => 1e4 * Math.log(walk.Close[at + 10] / walk.Close[at]));
    expect(row).to.include({ forecasts: 11, outcomes: 10, moved: moves.filter((bps) => Math.abs(bps) > 3).length });
  });
});

describe('series of bars over HTTP', function () {
  this.timeout(60_000);
  let place: StoreLocation;
  const rigs: AccountRig[] = [];
  let key: unknown;
  const start = async (): Promise<void> => {
    for (let i = 0; i < 2; i++)
      rigs.push(await startAccountService(place, {}, { memory: MEMORY_LINE, bars: BAR_MODEL, isAlone: false, clock: new FakeClock() }));
  };
  const stop = async (): Promise<void> => {
    for (const rig of rigs.splice(0)) await rig.close();
  };

  before(async function () {
    place = await makeStoreLocation('sqlite', this);
    await start();
    key = (await rigs[0].signUp('series@example.com')).json['api_key'];
  });
  after(async () => {
    await stop();
    await place?.dispose();
  });
  const minutes = barBody(seededRandom(3), { count: 900, hasFuture: false });
  const post = (body: Body, query: string, rig = rigs[0]): Promise<Answer> =>
    rig.withKey(key, `/auth/ti-tick?detail=full&${query}`, { body });
  const bars = (end: number): Body => part(minutes, end - 250, end);
  const ticks = { Timestamp: bars(400)['Timestamp'] as string[], Price: bars(400)['Close'] };
  const fives = part(barBody(seededRandom(3), { count: 300, periodS: 300, hasFuture: false }), 0, 300);
  const asked = 'bar_time=close&horizon_bars=5';

  it('remembers closes and outcomes, the same by one process and by two in turn', async () => {
    const memories: unknown[][] = [[], []];
    for (let end = 250; end <= 850; end += 50) {
      for (const [i, name] of ['one', 'two'].entries()) {
        const { json } = await post(bars(end), `series=${name}&${asked}`, rigs[i === 0 ? 0 : (end / 50) % 2]);
        memories[i].push((json['forecasts'] as Entry[])[0].detail.memory);
      }
    }
    expect(memories[1]).to.deep.equal(memories[0]);
    expect(memories[0].at(-1)).to.include({ used: true, reason: null });
    expect((memories[0].at(-1) as { outcomes: number }).outcomes).to.be.above(8);
  });

  it('refuses ticks and bars of another period under the name of a series, over a restart and from another replica', async () => {
    const refused = [422, '?series', 'series.other_kind'];
    expect((await post(bars(400), `series=kept&${asked}`)).status).to.equal(200);
    expect((await post(ticks, 'series=ticks&horizons=60s')).status).to.equal(200);
    const check = async (): Promise<void> => {
      for (const rig of rigs) {
        const other = await post(ticks, 'series=kept&horizons=60s', rig);
        expect(problemOf(other)).to.deep.equal(refused);
        expect(other.json['detail']).to.include('bars of 60 s, and ticks were sent');
        expect(problemOf(await post(fives, `series=kept&${asked}`, rig))).to.deep.equal(refused);
        expect(problemOf(await post(bars(400), `series=ticks&${asked}`, rig))).to.deep.equal(refused);
      }
    };
    await check();
    await stop();
    await start();
    await check();
    // Their own kind goes on.
    expect((await post(bars(450), `series=kept&${asked}`)).status).to.equal(200);
    expect((await post(ticks, 'series=ticks&horizons=60s')).status).to.equal(200);
  });

  it('doubts a wrong bar_time after five days of a series, with evidence, and a right one never', async () => {
    const sessions = sessionBars({ days: 7, periodS: 300 });
    const lists = { Timestamp: sessions.map(({ startUs }) => startUs), Close: sessions.map(({ close }) => close) };
    for (const barTime of ['open', 'close'] as const) {
      const input = async (from: number, to: number): Promise<ForecastDetail['input']> => {
        const sent = { Timestamp: lists.Timestamp.slice(from, to), Close: lists.Close.slice(from, to) };
        const { json } = await post(sent, `series=by-${barTime}&bar_time=${barTime}&horizon_bars=6`);
        return (json['forecasts'] as Entry[])[0].detail.input;
      };
      const [early, late] = [await input(0, 400), await input(300, 672)];
      expect(early).to.not.have.property('bar_time_evidence');
      if (barTime === 'open')
        expect(late)
          .to.deep.equal({ ...late, notes: [] })
          .and.not.have.property('bar_time_evidence');
      else {
        expect(late.notes).to.deep.equal(['bar_time_doubtful']);
        expect(late.bar_time_evidence).to.match(/were read as the ends of the bars\. They look like the beginnings: 6 of 6 sessions/);
      }
    }
  });

  it('refuses the other kind without a memory too, while forecasts wait for their outcome', async () => {
    expect((await post(bars(400), `series=off&memory=off&${asked}`)).status).to.equal(200);
    expect(problemOf(await post(ticks, 'series=off&memory=off&horizons=60s'))).to.deep.equal([422, '?series', 'series.other_kind']);
  });
});
