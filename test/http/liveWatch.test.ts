import { expect } from 'chai';
import type { ServerMessage, WatchedMessage } from '../../src/contract/live.ts';
import { MOST_WATCHERS } from '../../src/service/http/live/LiveWatch.ts';
import { CALLER, GOOD_KEY } from '../support/fakeParts.ts';
import { OPEN, realParts, STAMPS, TICKS, ticksMessage, withServer, type LiveSocket } from '../support/liveSocket.ts';
import { until } from '../support/until.ts';

const OTHER_KEY = 'tkm_live_otherotherotherotherotherother';

type Of<T extends WatchedMessage['type']> = Extract<WatchedMessage, { type: T }>;

const copiesOf = (watcher: LiveSocket): ServerMessage<'watched'>['copies'] => watcher.of('watched').flatMap(({ copies }) => copies);
const copied = <T extends WatchedMessage['type']>(watcher: LiveSocket, type: T): Of<T>[] =>
  copiesOf(watcher)
    .map(({ message }) => message)
    .filter((message): message is Of<T> => message.type === type);

async function watch(watcher: LiveSocket): Promise<void> {
  watcher.send({ type: 'watch' });
  await watcher.next('watched');
}

describe('watching the series of a key', () => {
  const authenticate = (header: string | undefined): Promise<typeof CALLER | undefined> =>
    Promise.resolve(header === GOOD_KEY ? CALLER : header === OTHER_KEY ? { ...CALLER, accountId: 'other', keyId: 'key-2' } : undefined);

  it('gives copies of what the other connections of the key get, prices in between, and the end of each series', async () => {
    await withServer(realParts({ authenticate }), {}, async (_server, connect) => {
      const [producer, watcher, stranger] = [await connect(), await connect(), await connect({ key: OTHER_KEY })];
      await watch(watcher);
      await watch(stranger);
      expect(watcher.of('watched')).to.deep.equal([{ type: 'watched', copies: [], dropped: 0 }]);
      producer.send(OPEN);
      for (let from = 0; from < 900; from += 100) producer.send(ticksMessage(from, from + 100));
      producer.send({ type: 'close', series: 'a' });
      await producer.next('score');
      await until(() => copied(watcher, 'closed').length > 0);
      for (const type of ['opened', 'forecast', 'outcome', 'status'] as const)
        expect(copied(watcher, type), type).to.deep.equal(producer.of(type));
      expect(copied(watcher, 'score').at(-1)).to.deep.equal(producer.of('score')[0]);
      expect(copied(watcher, 'forecast').length).to.be.above(20);
      // Every forecast has the price of its tick before it.
      const prices = new Map<string, number>();
      for (const { message } of copiesOf(watcher)) {
        if (message.type === 'price') prices.set(message.timestamp, message.price);
        if (message.type === 'forecast') expect(prices.get(message.timestamp)).to.equal(TICKS.prices[STAMPS.indexOf(message.timestamp)]);
      }
      expect(new Set(copiesOf(watcher).map(({ source }) => source)).size).to.equal(1);
      expect(watcher.of('watched').every(({ dropped }) => dropped === 0)).to.equal(true);
      expect(copiesOf(stranger), 'of another account').to.deep.equal([]);
      expect(producer.of('watched')).to.deep.equal([]);
    });
  });

  it('begins with the present state, tells the last price of a series that stands, and the end of a connection', async () => {
    await withServer(realParts({ authenticate }), {}, async (_server, connect) => {
      const [producer, watcher] = [await connect(), await connect()];
      producer.send(OPEN);
      producer.send(ticksMessage(0, 600));
      producer.send({ type: 'score', series: 'a' });
      const score = await producer.next('score');
      await watch(watcher);
      await until(() => copied(watcher, 'price').length > 0);
      expect(copiesOf(watcher).map(({ message }) => message)).to.deep.equal([
        producer.of('opened')[0],
        { type: 'price', series: 'a', last_tick: STAMPS[599], timestamp: STAMPS[599], price: TICKS.prices[599] },
        score,
      ]);
      producer.send(ticksMessage(600, 602));
      await until(() => copied(watcher, 'price').at(-1)?.timestamp === STAMPS[601]);
      producer.socket.close();
      await until(() => copied(watcher, 'closed').length > 0);
      expect(copied(watcher, 'closed')).to.deep.equal([{ type: 'closed', series: 'a' }]);
    });
  });

  it('allows so many connections that watch a key, and one again after another closed', async () => {
    await withServer(realParts({ authenticate }), {}, async (_server, connect) => {
      const watchers: LiveSocket[] = [];
      for (let i = 0; i < MOST_WATCHERS; i++) watchers.push(await connect());
      for (const watcher of watchers) await watch(watcher);
      const late = await connect();
      late.send({ type: 'watch' });
      expect(await late.next('error')).to.include({ message: 'watch', code: 'limit.exceeded', status: 429 });
      watchers[0].send({ type: 'watch' });
      await watchers[0].next('watched', 2);
      late.send({ type: 'watch', series: 'a' });
      expect((await late.next('error', 2)).errors?.[0]).to.include({ pointer: '/series', code: 'field.unknown' });
      watchers[0].socket.close();
      await watchers[0].closed();
      await until(async () => {
        late.send({ type: 'watch' });
        await until(() => late.messages.length > 0);
        return late.of('watched').length > 0;
      });
    });
  });

  it('ends with the key', async () => {
    let isRevoked = false;
    const parts = realParts({ authenticate: (header) => (isRevoked ? Promise.resolve(undefined) : authenticate(header)) });
    await withServer(parts, {}, async (_server, connect) => {
      const watcher = await connect();
      await watch(watcher);
      isRevoked = true;
      expect(await watcher.closed()).to.equal(4401);
    });
  });
});
