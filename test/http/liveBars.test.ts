import { expect } from 'chai';
import { silentLogger } from '../../src/core/Logger.ts';
import { seededRandom } from '../../src/core/Random.ts';
import { SeriesMemory } from '../../src/engine/memory/SeriesMemory.ts';
import type { HttpParts } from '../../src/service/http/HttpParts.ts';
import { SeriesMemories } from '../../src/service/live/SeriesMemories.ts';
import { parseTimestampUs, writeTimestamp } from '../../src/ticks/timestamps.ts';
import { barBody, type BarBody, stampedAtOpen } from '../support/barBodies.ts';
import { FakeClock } from '../support/FakeClock.ts';
import { BAR_MODEL, MEMORY_LINE } from '../support/fakeForecaster.ts';
import { GOOD_KEY } from '../support/fakeParts.ts';
import { type LiveSocket, realParts, ticksMessage, withServer } from '../support/liveSocket.ts';
import { MemoryStore } from '../support/MemoryStore.ts';
import { request } from '../support/request.ts';
import { sessionBars, type SessionBar } from '../support/sessionBars.ts';

const BARS = barBody(seededRandom(11), { count: 700, hasFuture: false, missing: 0.02 });
const BY_OPEN = stampedAtOpen(BARS, 60, false);
const FORECASTS = [
  { id: 'soon', horizon: '5bars', every: 'tick' },
  { horizon: '10m', every: '5m', min_move_bps: 4, range: [0.9] },
];
const open = (bar_time: 'open' | 'close', period?: string, more: object = {}): object => ({
  ...{ type: 'open', series: 'a', forecasts: FORECASTS, bars: { bar_time, ...(period === undefined ? {} : { period }) } },
  ...more,
});
const inMinutes = [{ horizon: '5m', every: 'tick' }];
const message = (lists: BarBody, from: number, to: number): object => ({
  ...{ type: 'bars', series: 'a' },
  ...Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, list.slice(from, to)])),
});

/** Parts of a service that reads bars and keeps memories in `store`. */
function partsOf(store?: MemoryStore): HttpParts {
  const memories = store && new SeriesMemories({ store, clock: new FakeClock(), logger: silentLogger });
  const parts = realParts(memories === undefined ? {} : { memories }, { memory: MEMORY_LINE, bars: BAR_MODEL });
  return { ...parts, models: { ...parts.models, usesMemory: () => true } };
}

const part = (lists: BarBody, from: number, to: number): BarBody =>
  Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, list.slice(from, to)])) as BarBody;
const pricesOf = (bars: readonly SessionBar[]): Omit<BarBody, 'Timestamp'> => ({
  Open: bars.map((bar) => bar.open),
  High: bars.map((bar) => bar.high),
  Low: bars.map((bar) => bar.low),
  Close: bars.map((bar) => bar.close),
});

async function send(client: LiveSocket, lists: BarBody, size: number, scores = 1): Promise<void> {
  for (let at = 0; at < lists.Close.length; at += size) client.send(message(lists, at, at + size));
  client.send({ type: 'close', series: 'a' });
  await client.next('score', scores);
}

const byNumber = <T extends { n: number; id: string }>(all: readonly T[]): T[] =>
  all.toSorted((a, b) => a.n - b.n || a.id.localeCompare(b.id));

describe('live series of bars', function () {
  this.timeout(60_000);

  it('give the same forecasts and outcomes in messages of any size, from beginnings and from ends', async () => {
    const runs: unknown[] = [];
    for (const [barTime, lists, size] of [
      ['close', BARS, 700],
      ['open', BY_OPEN, 700],
      ['open', BY_OPEN, 1],
    ] as const) {
      const store = new MemoryStore();
      await withServer(partsOf(store), {}, async (_server, connect) => {
        const client = await connect();
        client.send(open(barTime, '1m'));
        await send(client, lists, size);
        expect(client.of('error')).to.deep.equal([]);
        expect(client.of('opened')[0].bars).to.deep.equal({ bar_time: barTime, bar_period_ms: 60_000 });
        const { bytes } = [...store.memories.values()][0];
        const memory = SeriesMemory.load(bytes);
        const views = [300_000, 600_000].map((horizonMs) => memory.view(horizonMs));
        runs.push([byNumber(client.of('forecast')), byNumber(client.of('outcome')), client.of('score'), views]);
        expect(memory.periodMs).to.equal(60_000);
      });
    }
    for (const run of runs.slice(1)) expect(run).to.deep.equal(runs[0]);
    const [forecasts, outcomes] = runs[0] as [unknown[], { moved: boolean | null }[]];
    expect(forecasts.length).to.be.above(550);
    expect(outcomes.filter(({ moved }) => moved !== null).length).to.be.above(500);
  });

  it('give the forecasts of POST /auth/ti-tick, and outcomes from close to close', async () => {
    await withServer(partsOf(), {}, async (server, connect) => {
      const client = await connect();
      client.send(open('close', '1m'));
      await send(client, BARS, 100);
      const timesUs = BARS.Timestamp.map(parseTimestampUs);
      for (const { id, n, last_tick: last, future, ...live } of client.of('forecast').filter((_, i) => i % 40 === 0)) {
        const to = timesUs.indexOf(parseTimestampUs(last)) + 1;
        const from = Math.max(0, to - 500);
        const lists = Object.fromEntries(Object.entries(BARS).map(([name, list]) => [name, list.slice(from, to)])) as BarBody;
        const body = Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, [...list, name === 'Timestamp' ? future : 0]]));
        const query = `bar_time=close&detail=full&answer=last${id === 'soon' ? '' : '&min_move_bps=4&range=0.9'}`;
        const answer = await request(server.url, `/auth/ti-tick?${query}`, { body, headers: { 'Api-Key': GOOD_KEY } });
        const { trend_identified: mark, range, detail } = JSON.parse(answer.text) as Record<string, unknown>;
        const { opportunity } = detail as { opportunity: { probability: number; min_move_bps: number } };
        expect([mark, opportunity.probability, opportunity.min_move_bps, range]).to.deep.equal([
          live.trend_identified,
          live.probability,
          live.min_move_bps,
          live.range,
        ]);
        const outcome = client.of('outcome').find((one) => one.id === id && one.n === n);
        const exit = timesUs.findLastIndex((us) => us <= parseTimestampUs(future));
        if (outcome !== undefined) expect(outcome.move_bps).to.be.closeTo(1e4 * Math.log(BARS.Close[exit] / BARS.Close[to - 1]), 1e-6);
      }
    });
  });

  it('measure a period that open does not name, and say it before the first forecast', async () => {
    const [named, measured] = [new MemoryStore(), new MemoryStore()];
    const runs: unknown[] = [];
    for (const [store, period] of [[named, '1m'], [measured, undefined]] as const)
      await withServer(partsOf(store), {}, async (_server, connect) => {
        const client = await connect();
        client.send(open('close', period, { forecasts: inMinutes }));
        client.send({ type: 'score', series: 'a' });
        await client.next('score');
        await send(client, BARS, 250, 2);
        const told = client.of('status').filter(({ code }) => code === 'bar_period');
        expect(told.map(({ bar_period_ms: ms }) => ms)).to.deep.equal(period === undefined ? [60_000] : []);
        expect(client.of('opened')[0].bars!.bar_period_ms).to.equal(period === undefined ? null : 60_000);
        runs.push([byNumber(client.of('forecast')), [...store.memories.values()].map(({ bytes }) => [...bytes])]);
      }); // prettier-ignore
    expect(runs[1]).to.deep.equal(runs[0]);
  });

  it('refuse bad messages with pointer and index, and the series stays as it was', async () => {
    await withServer(partsOf(), {}, async (_server, connect) => {
      const client = await connect();
      const refused = async (sent: object, pointer: string, code: string): Promise<void> => {
        const count = client.of('error').length + 1;
        client.send(sent);
        const error = await client.next('error', count);
        expect([error.errors?.[0]?.pointer, error.errors?.[0]?.code], JSON.stringify(error)).to.deep.equal([pointer, code]);
      };
      const opened = (bars: object, more: object = {}): object => ({ ...open('close'), forecasts: inMinutes, ...more, bars });
      await refused(opened({}), '/bars/bar_time', 'field.missing');
      await refused(opened({ bar_time: 'end' }), '/bars/bar_time', 'field.wrong_type');
      await refused(opened({ bar_time: 'open', period: '1' }), '/bars/period', 'field.malformed');
      await refused(opened({ bar_time: 'open', period: '500ms' }), '/bars/period', 'bars.period_out_of_range');
      await refused(opened({ bar_time: 'open', period: '2d' }), '/bars/period', 'field.out_of_range');
      await refused(open('close'), '/forecasts/0/horizon', 'field.malformed');
      await refused({ ...open('close'), bars: undefined }, '/forecasts/0/horizon', 'field.malformed');
      await refused(
        open('close', '1m', { forecasts: [{ horizon: '1441bars', every: '1m' }] }),
        '/forecasts/0/horizon',
        'field.out_of_range',
      );
      client.send(open('close', '1m'));
      await client.next('opened');
      client.send(message(BARS, 0, 300));
      const next = message(BARS, 300, 310) as BarBody & object;
      await refused(message(BARS, 299, 310), '/Timestamp/0', 'timestamp.not_increasing');
      await refused(
        { ...next, Timestamp: next.Timestamp.with(9, next.Timestamp[9].replace(':00.000', ':30.000')) },
        '/Timestamp/9',
        'bars.no_period',
      );
      await refused({ ...next, High: next.High!.with(3, 1) }, '/High/3', 'bars.range_broken');
      await refused({ ...next, Close: next.Close.slice(1) }, '/Close', 'ticks.lengths_differ');
      await refused({ ...next, Volume: [1] }, '/Volume', 'ticks.lengths_differ');
      await refused({ type: 'bars', series: 'a', Timestamp: next.Timestamp, Close: next.Close }, '/Open', 'bars.ranges_differ');
      await refused({ ...next, Low: undefined }, '/Low', 'field.missing');
      await refused(ticksMessage(0, 5), '/type', 'series.other_kind');
      await refused({ type: 'ask', series: 'a', horizon: '2000bars' }, '/horizon', 'field.out_of_range');
      client.send({ type: 'open', series: 'b', forecasts: [{ horizon: '10s', every: '5s' }] });
      await refused({ ...next, series: 'b' }, '/type', 'series.other_kind');
      await refused({ type: 'ask', series: 'b', horizon: '3bars' }, '/horizon', 'field.malformed');
      client.send(open('close', '1m', { series: 'closes' }));
      const { Timestamp, Close } = BARS;
      client.send({ type: 'bars', series: 'closes', Timestamp: Timestamp.slice(0, 300), Close: Close.slice(0, 300) });
      await refused({ ...next, series: 'closes' }, '/Open', 'bars.ranges_differ');
      client.send(open('close', undefined, { series: 'short', forecasts: inMinutes }));
      await refused({ ...message(BARS, 0, 1), series: 'short' }, '/Timestamp', 'bars.no_period');
      // As if nothing had been refused.
      client.send(message(BARS, 300, 700));
      client.send({ type: 'score', series: 'a' });
      await client.next('score');
      const fresh = await connect();
      fresh.send(open('close', '1m'));
      fresh.send(message(BARS, 0, 700));
      fresh.send({ type: 'score', series: 'a' });
      await fresh.next('score');
      expect(client.of('score')).to.deep.equal(fresh.of('score'));
    });
  });

  it('are doubted once, with evidence, where the clock says that bar_time is wrong, also after a reconnection', async () => {
    const bars = sessionBars({ days: 9, periodS: 300 });
    const lists = { ...pricesOf(bars), Timestamp: bars.map(({ startUs }) => writeTimestamp(startUs)) };
    const half = Math.floor((lists.Close.length * 5.5) / 9);
    for (const [barTime, evidence] of [
      ['close', /^The timestamps were read as the ends of the bars\. They look like the beginnings: \d of \d sessions begin/],
      ['open', null],
    ] as const) {
      const store = new MemoryStore();
      for (const [from, to] of [[0, half], [half, lists.Close.length]] as const)
        await withServer(partsOf(store), {}, async (_server, connect) => {
          const client = await connect();
          client.send(open(barTime, '5m', { forecasts: [{ horizon: '30m', every: 'tick', ticks: 199 }] }));
          // What comes first has too few bars for a forecast of its own.
          await send(client, part(lists, from, to), 50);
          const told = client.of('status').filter(({ code }) => code === 'bar_time_doubtful');
          const forecasts = client.of('forecast');
          expect(forecasts.length).to.be.above(0);
          const noted = forecasts.filter(({ notes }) => notes?.includes('bar_time_doubtful'));
          expect(told.map(({ series }) => series)).to.deep.equal(evidence !== null && noted.length > 0 ? ['a'] : []);
          if (evidence === null) expect(noted).to.deep.equal([]);
          else if (from > 0) {
            expect(told[0].detail).to.match(evidence);
            expect(noted.length, 'from the first on').to.equal(forecasts.length);
          }
        }); // prettier-ignore
    }
  });

  it('refuse the name of a series of another kind, and go on with their own', async () => {
    const store = new MemoryStore();
    await withServer(partsOf(store), {}, async (_server, connect) => {
      const bars = await connect();
      bars.send(open('close', '1m'));
      await send(bars, BARS, 700);
      for (const opening of [{ type: 'open', series: 'a', forecasts: [{ horizon: '10s', every: '5s' }] }, open('close', '5m')]) {
        const client = await connect();
        client.send(opening);
        expect((await client.next('error')).errors![0]).to.include({ pointer: '/series', code: 'series.other_kind' });
      }
      const five = barBody(seededRandom(2), { count: 20, periodS: 300, hasFuture: false });
      const measured = await connect();
      measured.send(open('close', undefined, { forecasts: inMinutes }));
      measured.send(message(five, 0, 20));
      expect((await measured.next('error')).errors![0]).to.include({ pointer: '/series', code: 'series.other_kind' });
      const again = await connect();
      again.send(open('open', '1m'));
      await again.next('opened');
    });
  });
});
