import { expect } from 'chai';
import type { TickRequestBody } from '../../src/contract/tickForecast.ts';
import { parseTimestampUs } from '../../src/ticks/timestamps.ts';
import { suiteService } from '../support/accountService.ts';
import type { Answer } from '../support/request.ts';
import { exchange, parseRaw } from '../support/testServer.ts';

type Body = Record<string, unknown>;
type Entry = {
  horizon: string;
  timestamp: string;
  min_move_bps: number;
  trend_identified: 1 | null;
  status: string;
  reason: string | null;
};

const firstProblem = (answer: Answer): unknown[] => {
  const [first] = (answer.json['errors'] ?? []) as { pointer: string; code: string }[];
  return [answer.status, first?.pointer, first?.code];
};

describe('forms of the API that bots use', () => {
  const rig = suiteService('sqlite', {
    LIMIT_FORECASTS_PER_MINUTE: '200',
    CORS_ORIGINS: 'https://desk.example',
  });
  let key = '';
  let sample: TickRequestBody;
  let timesMs: number[];

  before(async () => {
    key = String((await rig.signUp('bot@example.com')).json['api_key']);
    const full = (await rig.ask('/sample')).json as TickRequestBody;
    // The small network answers within its trained horizons.
    sample = { Timestamp: full.Timestamp.slice(-300), Price: full.Price.slice(-300) };
    timesMs = sample.Timestamp.map((stamp) => parseTimestampUs(stamp) / 1000);
  });

  const post = (body: Body, query = '', headers: Record<string, string> = {}): Promise<Answer> =>
    rig.ask(`/auth/ti-tick${query}`, { body, headers: { 'Api-Key': key, ...headers } });
  const values = (answer: Answer): unknown[] => Object.values(answer.json);

  it('answers epoch milliseconds and microseconds as it answers the same times as texts, with the numbers as keys', async () => {
    const text = await post(sample);
    for (const scale of [1, 1000]) {
      const Timestamp = timesMs.map((ms) => ms * scale);
      const answer = await post({ Timestamp, Price: sample.Price });
      expect([answer.status, values(answer)]).to.deep.equal([200, values(text)]);
      expect(Object.keys(answer.json)).to.deep.equal([...new Set(Timestamp)].map(String));
      const last = await post({ Timestamp, Price: sample.Price }, '?answer=last');
      expect(last.json['timestamp']).to.equal(String(Timestamp.at(-1)));
    }
  });

  it('refuses seconds, fractions, mixed units and mixed forms with the entry that differs', async () => {
    const change = (at: number, value: unknown): Body => ({
      Timestamp: timesMs.map((ms, i): unknown => (i === at ? value : ms)),
      Price: sample.Price,
    });
    const cases: [Body, number, string][] = [
      [{ Timestamp: timesMs.map((ms) => Math.floor(ms / 1000)), Price: sample.Price }, 0, 'timestamp.epoch_malformed'],
      [change(7, timesMs[7] + 0.5), 7, 'timestamp.epoch_malformed'],
      [change(7, timesMs[7] * 1000), 7, 'timestamp.epoch_malformed'],
      [change(7, -timesMs[7]), 7, 'timestamp.epoch_malformed'],
      [change(7, sample.Timestamp[7]), 7, 'field.wrong_type'],
      [change(7, null), 7, 'field.wrong_type'],
      [{ ...sample, Timestamp: sample.Timestamp.map((stamp, i): unknown => (i === 7 ? timesMs[7] : stamp)) }, 7, 'field.wrong_type'],
      [{ ...sample, Timestamp: sample.Timestamp.map((stamp, i): unknown => (i === 0 ? timesMs[0] : stamp)) }, 0, 'field.wrong_type'],
      [change(timesMs.length - 1, 7.3e12), timesMs.length - 1, 'timestamp.out_of_range'],
      [change(7, timesMs[6] - 60_000), 7, 'timestamp.step_back'],
    ];
    for (const [body, at, code] of cases)
      expect(firstProblem(await post(body)), `${code} ${at}`).to.deep.equal([422, `/Timestamp/${at}`, code]);
  });

  it('answers stamps with an offset as it answers the same times in UTC', async () => {
    const utc = await post(sample);
    const shifted = timesMs.map((ms) => `${new Date(ms + 7_200_000).toISOString().slice(0, 23)}+02:00`);
    const answer = await post({ Timestamp: shifted, Price: sample.Price });
    expect([answer.status, values(answer)]).to.deep.equal([200, values(utc)]);
    expect(Object.keys(answer.json)[0]).to.equal(shifted[0]);
  });

  it('forecasts on the mid of Bid and Ask, with 0 as both of the future entry', async () => {
    const half = 0.25;
    const Bid = sample.Price.map((price) => (price === 0 ? 0 : price - half));
    const Ask = sample.Price.map((price) => (price === 0 ? 0 : price + half));
    for (const Timestamp of [sample.Timestamp, timesMs]) {
      const [mid, price] = [
        await post({ Timestamp, Bid, Ask }, '?answer=last&detail=full'),
        await post(sample, '?answer=last&detail=full'),
      ];
      expect(mid.status).to.equal(200);
      const probability = ({ json }: Answer): unknown => (json['detail'] as { opportunity: unknown }).opportunity;
      expect(probability(mid)).to.deep.equal(probability(price));
    }
    const { Timestamp } = sample;
    const end = sample.Price.length - 1;
    const bid = (at: number, value: unknown): unknown[] => Bid.map((each, i): unknown => (i === at ? value : each));
    const cases: [Body, string, string][] = [
      [{ Timestamp, Bid }, '/Ask', 'field.missing'],
      [{ Timestamp, Ask }, '/Bid', 'field.missing'],
      [{ Timestamp, Bid, Ask, Price: sample.Price }, '/Bid', 'field.unknown'],
      [{ Timestamp, Bid, Ask: Ask.slice(1) }, '/Ask', 'ticks.lengths_differ'],
      [{ Timestamp, Bid: bid(3, 0), Ask }, '/Bid/3', 'price.not_positive'],
      [{ Timestamp, Bid: bid(3, '1'), Ask }, '/Bid/3', 'field.wrong_type'],
      [{ Timestamp, Bid: bid(end, 5), Ask }, `/Bid/${end}`, 'price.future_not_zero'],
    ];
    for (const [body, pointer, code] of cases) expect(firstProblem(await post(body)), code).to.deep.equal([422, pointer, code]);
    // Tokens of 1e-7 keep their moves, by price and by quotes.
    const of = async (body: Body): Promise<number> => {
      const { json } = await post(body, '?answer=last&detail=full');
      return (json['detail'] as { opportunity: { probability: number } }).opportunity.probability;
    };
    const cheap = (all: readonly number[]): number[] => all.map((each) => (each * 1e-7) / sample.Price[0]);
    const usual = await of({ Timestamp, Price: sample.Price });
    expect(await of({ Timestamp, Price: cheap(sample.Price) })).to.be.closeTo(usual, 1e-6);
    expect(await of({ Timestamp, Bid: cheap(Bid), Ask: cheap(Ask) })).to.be.closeTo(usual, 1e-6);
  });

  it('observes the cost of Bid and Ask in every form of a request, and takes it as the threshold', async () => {
    const half = (price: number, i: number): number => price * (i % 3 === 0 ? 5e-4 : 2e-4);
    const quotes = (Timestamp: Body['Timestamp']): Body => ({
      Timestamp,
      Bid: sample.Price.map((price, i) => price - half(price, i)),
      Ask: sample.Price.map((price, i) => price + half(price, i)),
    });
    type Full = { opportunity: { min_move_bps: number }; input: { cost_bps: number; notes: string[] } };
    const observed = ({ Timestamp, Bid, Ask }: Body): Body => ({
      Timestamp: (Timestamp as unknown[]).slice(0, -1),
      Bid: (Bid as number[]).slice(0, -1),
      Ask: (Ask as number[]).slice(0, -1),
    });
    const batch = (body: Body, query: string): Promise<Answer> =>
      rig.ask(`/auth/ti-tick/batch${query}`, { body: { items: [body] }, headers: { 'Api-Key': key } });
    const details = async (body: Body, query: string): Promise<Full[]> => {
      const every = await post(body, `?detail=full${query}`);
      const last = await post(body, `?answer=last&detail=full${query}`);
      const several = await post(observed(body), `?horizons=60s,5m&detail=full${query}`);
      const results = (await batch(body, `?answer=last&detail=full${query}`)).json['results'] as { body: { detail: Full } }[];
      const found = [
        (values(every).at(-1) as { detail: Full }).detail,
        last.json['detail'] as Full,
        ...(several.json['forecasts'] as { detail: Full }[]).map(({ detail }) => detail),
        ...results.map((result) => result.body.detail),
      ];
      expect(found).to.have.lengthOf(5);
      return found;
    };
    for (const Timestamp of [sample.Timestamp, timesMs]) {
      const body = quotes(Timestamp);
      for (const [query, noted] of [
        ['&min_move_bps=3.9', true],
        ['&min_move_bps=4.1', false],
        ['&min_move_bps=cost', false],
      ] as const) {
        for (const { opportunity, input } of await details(body, query)) {
          expect(input.cost_bps).to.be.closeTo(4, 1e-6);
          expect(input.notes.includes('threshold_below_cost'), query).to.equal(noted);
          expect(input.notes).to.not.include('cost_from_prices_alone');
          if (query.endsWith('cost')) expect(opportunity.min_move_bps).to.equal(input.cost_bps);
        }
      }
    }
    const sound = quotes(timesMs);
    const crossed = { ...sound, Bid: (sound['Bid'] as number[]).map((bid, i) => (i === 40 ? 1.01 * bid : bid)) };
    for (const [body, noted] of [
      [sound, false],
      [crossed, true],
    ] as const)
      for (const { input } of await details(body, '')) expect(input.notes.includes('crossed_quotes')).to.equal(noted);
    const both = await post(observed(quotes(timesMs)), '?horizons=60s&min_move_bps=1,cost');
    expect((both.json['forecasts'] as Entry[]).map(({ min_move_bps: bps }) => Number(bps.toFixed(6)))).to.deep.equal([1, 4]);
    const trades = (await post(sample, '?answer=last&detail=full')).json['detail'] as Full;
    expect(trades.input.notes).to.include('cost_from_prices_alone');
  });

  it('refuses cost as the threshold of ticks without a spread, in every form of a request', async () => {
    const { Timestamp, Price } = sample;
    const cases: [Body, string][] = [
      [sample, 'the ticks have no Bid and Ask'],
      [{ Timestamp: timesMs, Price }, 'the ticks have no Bid and Ask'],
      [{ Timestamp, Bid: Price, Ask: Price }, 'the median spread of the quotes is 0'],
      // Crossed quotes.
      [{ Timestamp, Bid: Price.map((price) => price * 1.001), Ask: Price }, 'the median spread of the quotes is 0'],
    ];
    for (const [body, why] of cases) {
      const short = Object.fromEntries(Object.entries(body).map(([name, list]) => [name, (list as unknown[]).slice(0, -1)]));
      const [item] = (await rig.ask('/auth/ti-tick/batch?min_move_bps=cost', { body: { items: [body] }, headers: { 'Api-Key': key } }))
        .json['results'] as { status: number; problem: Body }[];
      const answers = [await post(body, '?min_move_bps=cost'), await post(short, '?horizons=60s&min_move_bps=cost')];
      for (const answer of [...answers, { status: item!.status, json: item!.problem } as Answer]) {
        expect(firstProblem(answer)).to.deep.equal([422, '?min_move_bps', 'min_move_bps.cost_unknown']);
        expect((answer.json['errors'] as { detail: string }[])[0].detail).to.equal(`min_move_bps is cost, but ${why}.`);
      }
    }
    for (const wrong of ['Cost', 'cost ', 'costs', ''])
      expect(firstProblem(await post(sample, `?min_move_bps=${encodeURIComponent(wrong)}`))).to.deep.equal([
        422,
        '?min_move_bps',
        'query.malformed',
      ]);
    expect(firstProblem(await post(sample, '?horizons=60s&min_move_bps=cost,cost'))[2]).to.equal('query.malformed');
  });

  describe('Authorization: Bearer', () => {
    const bearer = (value: string): Record<string, string> => ({ Authorization: `Bearer ${value}` });

    it('is accepted in place of Api-Key, and next to an equal one', async () => {
      for (const headers of [bearer(key), { ...bearer(key), 'Api-Key': key }, { Authorization: `bearer  ${key}` }]) {
        expect((await rig.ask('/auth/me', { headers })).status).to.equal(200);
      }
    });

    it('is refused with its own challenge if it is not valid, and if Api-Key differs', async () => {
      const wrong = await rig.ask('/auth/me', { headers: bearer('tkm_live_unknown') });
      expect([wrong.status, wrong.headers['www-authenticate']]).to.deep.equal([401, 'Bearer realm="tickmark"']);
      for (const headers of [
        { ...bearer('tkm_live_unknown'), 'Api-Key': key },
        { ...bearer(key), 'Api-Key': 'tkm_live_unknown' },
      ]) {
        const two = await rig.ask('/auth/me', { headers });
        expect([two.status, two.json['code']]).to.deep.equal([401, 'auth.key_refused']);
        expect(two.json['detail']).to.match(/different keys/);
      }
      for (const value of ['Bearer', 'Bearer a b', `Basic ${key}`, key])
        expect((await rig.ask('/auth/me', { headers: { Authorization: value } })).status, value).to.equal(401);
    });

    it('is never logged', () => {
      expect(rig.logged.join('\n')).to.not.include(key);
    });

    it('opens a live connection', async () => {
      const upgrade =
        'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';
      const { port } = new URL(rig.service.url);
      const head = `GET /auth/live HTTP/1.1\r\nHost: localhost\r\n${upgrade}`;
      const refused = parseRaw(await exchange(Number(port), `${head}Authorization: Bearer tkm_live_unknown\r\n\r\n`));
      expect(refused.status).to.equal(401);
      // The frame closes the connection, so that `exchange` ends: a close frame with a mask.
      const closing = Buffer.from([0x88, 0x80, 0, 0, 0, 0]);
      const opened = await exchange(Number(port), [`${head}Authorization: Bearer ${key}\r\n\r\n`, closing]);
      expect(opened).to.match(/^HTTP\/1\.1 101 /);
    });
  });

  describe('several horizons and thresholds', () => {
    let observed: { Timestamp: string[]; Price: number[] };
    before(() => {
      observed = { Timestamp: sample.Timestamp.slice(0, -1), Price: sample.Price.slice(0, -1) };
    });
    const forecasts = (answer: Answer): Entry[] => answer.json['forecasts'] as Entry[];

    it('answer one forecast for each pair, equal to that of a request of its own', async () => {
      const answer = await post(observed, '?horizons=10s,60s,5m&min_move_bps=1,2.5&detail=full');
      expect(answer.status).to.equal(200);
      const pairs = forecasts(answer).map(({ horizon, min_move_bps: bps }) => [horizon, bps]);
      expect(pairs).to.deep.equal([['10s', 1], ['10s', 2.5], ['60s', 1], ['60s', 2.5], ['5m', 1], ['5m', 2.5]]); // prettier-ignore
      for (const { horizon, min_move_bps: bps, ...entry } of forecasts(answer)) {
        const body = { Timestamp: [...observed.Timestamp, entry.timestamp], Price: [...observed.Price, 0] };
        const single = await post(body, `?answer=last&detail=full&min_move_bps=${bps}`);
        const { detail, probability, decision_threshold: decision, future, ...rest } = entry as Record<string, unknown>;
        const { detail: own, ...last } = single.json;
        expect(rest, horizon).to.deep.equal(last);
        expect(future, horizon).to.equal(entry.timestamp);
        const bare = (full: unknown): unknown => ({ ...(full as object), timings_ms: null });
        expect(bare(detail)).to.deep.equal(bare(own));
        expect((own as { opportunity: unknown }).opportunity).to.include({ probability, decision_threshold: decision, min_move_bps: bps });
      }
    });

    it('use the default thresholds if none is given, in every form of the body', async () => {
      const plain = await post(observed, '?horizons=60s');
      expect(forecasts(plain)[0].status).to.be.oneOf(['identified', 'none', 'abstained']);
      expect(forecasts(plain)[0]).to.not.have.property('detail');
      const epoch = await post({ Timestamp: timesMs.slice(0, -1), Bid: observed.Price, Ask: observed.Price }, '?horizons=60s');
      const future = String(timesMs.at(-2)! + 60_000);
      expect(forecasts(epoch)[0]).to.deep.equal({ ...forecasts(plain)[0], timestamp: future, future });
    });

    it('count each forecast on the limit, and none of a request that does not fit', async () => {
      const left = (answer: Answer): number => Number(/r=(\d+)/.exec(String(answer.headers['ratelimit']))?.[1]);
      const before = left(await post(observed, '?horizons=10s'));
      expect(left(await post(observed, '?horizons=10s,20s&min_move_bps=1,2,3'))).to.equal(before - 6);
      expect((await post(sample, '?horizons=10s')).status).to.equal(422);
      let rest = left(await post(observed, '?horizons=10s'));
      expect(rest).to.equal(before - 7);
      const most = '?horizons=1s,2s,3s,4s,5s,6s,7s,8s&min_move_bps=1,2,3,4,5,6,7,8';
      for (; rest >= 64; rest -= 64) expect((await post(observed, most)).status).to.equal(200);
      const refused = await post(observed, most);
      expect([refused.status, refused.json['code']]).to.deep.equal([429, 'limit.exceeded']);
      expect(refused.json['detail']).to.match(/fewer than the 64 of this request/);
      expect(left(await post(observed, '?horizons=10s'))).to.equal(rest - 1);
    });

    it('refuse rubbish, too many values, repeated values, a future entry and other answers', async () => {
      const hundred = Array.from({ length: 100 }, (_, i) => `${i + 1}s`).join(',');
      const cases: [string, string, string][] = [
        [`?horizons=${hundred}`, '?horizons', 'at most 8 values; it has 100'],
        ['?horizons=', '?horizons', 'durations up to a day'],
        ['?horizons=60', '?horizons', '"60"'],
        ['?horizons=10s,,60s', '?horizons', 'durations up to a day'],
        ['?horizons=10s,25h', '?horizons', '"25h"'],
        ['?horizons=-1s', '?horizons', '"-1s"'],
        ['?horizons=0s', '?horizons', '"0s"'],
        ['?horizons=60s,1m', '?horizons', '"1m" occurs twice'],
        ['?horizons=60s&horizons=10s', '?horizons', 'repeated'],
        ['?horizons=60s&answer=last', '?answer', 'left out with horizons'],
        ['?horizons=60s&min_move_bps=1,x', '?min_move_bps', '"x"'],
        ['?horizons=60s&min_move_bps=1,0', '?min_move_bps', 'above 0'],
        ['?horizons=60s&min_move_bps=1,1.0', '?min_move_bps', '"1.0" occurs twice'],
        [`?horizons=60s&min_move_bps=${hundred.replaceAll('s', '')}`, '?min_move_bps', 'at most 8 values; it has 100'],
        ['?min_move_bps=1,2.5', '?min_move_bps', 'a decimal number'],
      ];
      for (const [query, pointer, mention] of cases) {
        const answer = await post(observed, query);
        expect(firstProblem(answer).slice(0, 2), query).to.deep.equal([422, pointer]);
        expect(answer.json['detail'], query).to.include(mention);
      }
      expect((await post(sample, '?horizons=60s')).json['detail']).to.include('the future entry is left out');
      const few = { Timestamp: observed.Timestamp.slice(0, 198), Price: observed.Price.slice(0, 198) };
      expect(firstProblem(await post(few, '?horizons=60s'))).to.deep.equal([422, '/Timestamp', 'ticks.too_few']);
      const late = { Timestamp: observed.Timestamp.map(() => '2199-12-31 23:59:00'), Price: observed.Price };
      expect(firstProblem(await post(late, '?horizons=10s,5m'))).to.deep.equal([422, '?horizons', 'timestamp.out_of_range']);
      const batch = await rig.withKey(key, '/auth/ti-tick/batch?horizons=10s,x', { body: { items: [observed] } });
      expect(firstProblem(batch)).to.deep.equal([422, '?horizons', 'query.malformed']);
    });
  });

  it('says in the detail whether a null is a forecast or an abstention', async () => {
    const still = { ...sample, Price: sample.Price.map((price) => price && 100) };
    const detailOf = async (body: Body): Promise<unknown> => Object.values((await post(body, '?detail=full')).json).at(-1);
    expect(await detailOf(still)).to.have.nested.property('detail.status', 'abstained');
  });

  it('answers a preflight request of an origin that is not listed with 403, and names CORS_ORIGINS', async () => {
    const preflight = (origin: string) => ({ method: 'OPTIONS', headers: { Origin: origin, 'Access-Control-Request-Method': 'POST' } });
    const refused = await rig.ask('/auth/ti-tick', preflight('https://other.example'));
    expect([refused.status, refused.json['code']]).to.deep.equal([403, 'cors.origin_refused']);
    expect(refused.json['detail']).to.include('CORS_ORIGINS').and.to.include('https://other.example');
    expect(refused.headers).to.not.have.property('access-control-allow-origin');
    expect((await rig.ask('/auth/ti-tick', preflight('https://desk.example'))).status).to.equal(204);
    expect((await rig.ask('/auth/ti-tick', { method: 'OPTIONS' })).status).to.equal(405);
  });
});
