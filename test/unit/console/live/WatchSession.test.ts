import { expect } from 'chai';
import { LiveRefusedError, type LiveCopy, type LiveMessage } from '../../../../clients/typescript/src/index.ts';
import { droppedText, watchText } from '../../../../src/console/live/liveWords.ts';
import { WatchSession } from '../../../../src/console/live/WatchSession.ts';
import type { Opened } from '../../../../src/console/live/WatchedSeries.ts';
import { FakeFeed } from './FakeFeed.ts';
import { forecast, mark, opened, outcome, score } from './liveMessages.ts';

const connected: LiveMessage = { type: 'connected', is_resumed: false };
const lost: LiveMessage = { type: 'disconnected', code: 1006, reason: '', wait_ms: 2000 };

const watched = (source: string, ...messages: LiveCopy['message'][]): LiveMessage => ({
  type: 'watched',
  copies: messages.map((message) => ({ source, message })),
  dropped: 0,
});
const open = (series: string): Opened => ({
  ...(opened as Opened),
  series,
  forecasts: [
    { id: '60s', horizon: '60s', every: '5s', min_move_bps: null },
    { id: 'fast', horizon: '10s', every: '1s', min_move_bps: 2 },
  ],
});
const priceAt = (timestamp: string, price: number, series = 'ticks'): LiveCopy['message'] => ({
  ...{ type: 'price', series, price, last_tick: timestamp, timestamp },
});
const price = (second: number, value: number, series = 'ticks'): LiveCopy['message'] =>
  priceAt(`1970-01-01 00:00:${String(second).padStart(2, '0')}.000`, value, series);

function start() {
  const feed = new FakeFeed();
  const told = { marks: 0, shown: [] as string[], changes: 0 };
  const session = new WatchSession({
    feed,
    nowMs: () => 5000,
    onMark: () => void told.marks++,
    onShow: ({ name }) => void told.shown.push(name),
    onChange: () => void told.changes++,
  });
  return { feed, session, told };
}

describe('WatchSession', () => {
  it('shows the first series that is open: prices, forecasts at their ticks, outcomes and scores', async () => {
    const { feed, session, told } = start();
    expect([feed.calls, session.phase]).to.deep.equal([['watch'], 'connecting']);
    await feed.give(connected, watched('x'));
    expect([session.phase, session.shown]).to.deep.equal(['waiting', undefined]);
    const later = { timestamp: '1970-01-01 00:00:12.000', n: 1 };
    await feed.give(
      watched('x', open('ticks'), price(9, 1), price(10, 2), mark(), price(12, 3), price(11, 9), forecast(later)),
      watched('x', outcome(), score()),
      watched('y', price(13, 4), mark()),
    );
    const shown = session.shown!;
    expect([session.phase, told.shown, told.marks]).to.deep.equal(['watching', ['ticks'], 1]);
    expect(shown.plans).to.deep.equal([{ id: '60s', name: '1 min' }, { id: 'fast', name: 'fast, 10 s' }]); // prettier-ignore
    expect([shown.position, [...shown.series.prices]]).to.deep.equal([3, [1, 2, 3]]);
    expect(shown.log.rows.map(({ tick, outcome: settled }) => [tick, settled?.moved])).to.deep.equal([[1, true], [2, undefined]]); // prettier-ignore
    expect(shown.scores[0]?.outcomes).to.equal(3);
    expect(watchText(session, 5000)).to.equal('Watching ticks: 3 at 00:00:12.000 UTC.');
  });

  it('offers every open series, numbers those of one name, and shows another from then on', async () => {
    const { feed, session, told } = start();
    await feed.give(connected, watched('x', open('a'), open('b'), price(1, 5, 'a')), watched('y', open('a'), open('a')));
    expect(session.choices.map(({ name, isShown }) => [name, isShown])).to.deep.equal([['a', true], ['b', false], ['a (2)', false]]); // prettier-ignore
    session.show(session.choices[2].key);
    await feed.give(watched('x', price(2, 6, 'a')), watched('y', price(3, 7, 'a')), watched('x', { type: 'closed', series: 'b' }));
    expect([told.shown, [...session.shown!.series.prices], session.choices.length]).to.deep.equal([['a', 'a'], [7], 2]);
    session.show('none');
    expect(told.shown).to.have.length(2);
  });

  it('goes on when the page or the program connects again, and says when the series has ended', async () => {
    const { feed, session, told } = start();
    await feed.give(connected, watched('x', open('a'), price(1, 5, 'a')), lost);
    expect([session.phase, session.choices]).to.deep.equal(['reconnecting', []]);
    expect(watchText(session, 5000)).to.equal('The connection was lost. Connecting again in 2 s.');
    await feed.give(connected, watched('x', open('a'), price(2, 6, 'a')));
    expect([session.phase, session.shown!.position, told.shown]).to.deep.equal(['watching', 2, ['a']]);
    await feed.give(watched('x', { type: 'closed', series: 'a' }));
    expect([session.phase, watchText(session, 0)]).to.deep.equal([
      'closed',
      'a has ended. If its program opens it again, the page goes on with it.',
    ]);
    await feed.give(watched('z', open('b')), watched('y', open('a')));
    expect([session.phase, session.shown!.position, told.shown]).to.deep.equal(['watching', 0, ['a', 'a']]);
  });

  it('counts what is dropped, and what the service skips for the program', async () => {
    const { feed, session } = start();
    const skipped: LiveCopy['message'] = { type: 'status', code: 'skipped', detail: '', skipped: { 'limit.exceeded': 2 } };
    await feed.give(connected, { type: 'watched', copies: [], dropped: 3 }, { type: 'dropped', count: 4 });
    await feed.give(watched('x', open('a'), skipped, skipped), watched('y', skipped));
    expect([session.dropped, session.skipped]).to.deep.equal([7, { 'limit.exceeded': 4 }]);
    expect([droppedText(0), droppedText(7)]).to.deep.equal(['', '7 messages dropped by the service: the key sends more than it copies.']);
  });

  it('keeps the last prices only, and the marks at their ticks', async () => {
    const { feed, session } = start();
    await feed.give(connected, watched('x', open('ticks')));
    const shown = session.shown!;
    const stamp = (i: number): string => new Date(i).toISOString().replace('T', ' ').slice(0, -1);
    for (let i = 0; i < 200_000; i++) shown.read(priceAt(stamp(i), i + 1));
    shown.read(mark({ timestamp: stamp(150_000) }));
    shown.read(priceAt(stamp(200_000), 200_001));
    expect([shown.position, shown.series.prices[0], shown.series.prices.at(-1)]).to.deep.equal([100_001, 100_001, 200_001]);
    expect(shown.series.prices[shown.log.rows[0].tick]).to.equal(150_001);
  });

  it('ends when it is stopped, refused or failed, and says why', async () => {
    const stopped = start();
    stopped.session.stop();
    expect([stopped.session.phase, stopped.feed.calls, watchText(stopped.session, 0)]).to.deep.equal(['ended', ['watch', 'close'], 'Stopped watching.']); // prettier-ignore
    const refused = start();
    await refused.feed.give(connected, new LiveRefusedError(4401, ''));
    expect([refused.session.phase, watchText(refused.session, 0)]).to.deep.equal([
      'refused',
      'Stopped watching: the key was not accepted. It may be revoked or expired.',
    ]);
    const failed = start();
    // What waits to be read then is left alone.
    const waiting = failed.feed.give(connected, watched('x', open('a')), new Error('Lost.'));
    failed.session.fail('the key has changed.');
    await waiting;
    const { isRunning, isConnected, shown } = failed.session;
    expect([isRunning, isConnected, shown]).to.deep.equal([false, false, undefined]);
    expect(watchText(failed.session, 0)).to.equal('Stopped watching: the key has changed.');
    const broken = start();
    await broken.feed.give(new Error('A message is not of tickmark.'));
    expect([broken.session.phase, broken.session.fault]).to.deep.equal(['failed', 'A message is not of tickmark.']);
    const full = start();
    const error = { type: 'error', message: 'watch', title: 'Too many.', detail: 'Four watch.', code: 'limit.exceeded', status: 429 };
    await full.feed.give(connected, error as LiveMessage);
    expect(watchText(full.session, 0)).to.equal('Stopped watching: Too many. Four watch.');
  });
});
