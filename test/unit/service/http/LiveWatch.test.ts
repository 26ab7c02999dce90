import { expect } from 'chai';
import type { WebSocket } from 'ws';
import { ConnectionWatch } from '../../../../src/service/http/live/ConnectionWatch.ts';
import { type Copies, LiveWatch, type WatchLink, type WatchSource } from '../../../../src/service/http/live/LiveWatch.ts';
import { FakeClock } from '../../../support/FakeClock.ts';

const FLUSH_MS = 200;

/** The other workers, played by the test. */
class FakeLink implements WatchLink {
  readonly told: unknown[] = [];
  readonly passed: Copies[] = [];
  watchElsewhere = (_keyIds: readonly string[], _wanted: string | undefined): void => {};
  getCopies = (_copies: Copies): void => {};

  watch(keyIds: readonly string[], wanted?: string): void {
    this.told.push([keyIds, wanted]);
  }
  passOn(copies: Copies): void {
    this.passed.push(copies);
  }
  onWatch(run: (keyIds: readonly string[], wanted: string | undefined) => void): void {
    this.watchElsewhere = run;
  }
  onCopies(run: (copies: Copies) => void): void {
    this.getCopies = run;
  }
}

function open() {
  const [clock, link] = [new FakeClock(), new FakeLink()];
  const watch = new LiveWatch(clock, link);
  const watcher = (keyId: string) => {
    const got: Copies[] = [];
    return { keyId, got, deliver: (copies: Copies) => void got.push(copies) };
  };
  return { clock, link, watch, watcher };
}

function source(watch: LiveWatch, keyId: string, name: string, series = 1): WatchSource & { announced: number; calls: boolean[] } {
  const one = {
    ...{ keyId, announced: 0, calls: [] as boolean[] },
    announce: () => void one.announced++,
    publishChanges: (areScoresDue: boolean) => {
      one.calls.push(areScoresDue);
      watch.publish(keyId, name, '1');
      return series;
    },
  };
  return one;
}

describe('LiveWatch', () => {
  it('delivers copies together, drops and counts those beyond 400 that do not tell a state, and stops when no one watches', () => {
    const { clock, watch, watcher } = open();
    const [mine, other] = [watcher('a'), watcher('b')];
    watch.watch(mine);
    watch.watch(other);
    expect([watch.isWatched('a'), watch.isWatched('c')]).to.deep.equal([true, false]);
    for (let i = 0; i < 403; i++) watch.publish('a', 's', `{"n":${i}}`);
    watch.publish('a', 's', '"state"', true);
    clock.advance(FLUSH_MS);
    const [{ texts, ...rest }] = mine.got as [Copies];
    expect(rest).to.deep.equal({ keyId: 'a', count: 401, dropped: 3 });
    expect((JSON.parse(`[${texts}]`) as unknown[])[1]).to.deep.equal({ source: 's', message: { n: 1 } });
    expect(other.got).to.deep.equal([]);
    clock.advance(FLUSH_MS);
    expect(mine.got, 'nothing new').to.have.length(1);
    watch.unwatch(mine);
    watch.unwatch(other);
    clock.advance(FLUSH_MS);
    watch.publish('a', 's', '1');
    clock.advance(FLUSH_MS);
    expect([mine.got.length, watch.isWatched('a')]).to.deep.equal([1, false]);
  });

  it('asks connections of a watched key for changes, for scores less often, and all of them in turns', () => {
    const { clock, link, watch, watcher } = open();
    const many = [source(watch, 'a', 'x', 600), source(watch, 'a', 'y', 600), source(watch, 'a', 'z', 600)];
    const other = source(watch, 'b', 'w');
    for (const each of [...many, other]) watch.join(each);
    const mine = watcher('a');
    watch.watch(mine);
    expect(many.map(({ announced }) => announced)).to.deep.equal([1, 1, 1]);
    watch.watch(mine);
    expect([many[0].announced, link.told.length], 'once more').to.deep.equal([1, 1]);
    for (let i = 0; i < 15; i++) clock.advance(FLUSH_MS);
    expect(many.map(({ calls }) => calls.length)).to.deep.equal([5, 5, 5]);
    expect(many.map(({ calls }) => calls.filter(Boolean).length)).to.deep.equal([2, 2, 2]);
    watch.leave(many[0]);
    clock.advance(FLUSH_MS);
    expect([many[0].calls.length, other.calls.length, other.announced]).to.deep.equal([5, 0, 0]);
  });

  it('announces a key once between two deliveries, however often it is watched: the state is among the copies of the next one', () => {
    const { clock, watch, watcher } = open();
    const one = source(watch, 'a', 'x');
    watch.join(one);
    for (let i = 0; i < 100; i++) {
      const mine = watcher('a');
      watch.watch(mine);
      watch.unwatch(mine);
    }
    expect(one.announced).to.equal(1);
    watch.watch(watcher('a'));
    clock.advance(FLUSH_MS);
    watch.watch(watcher('a'));
    expect(one.announced).to.equal(2);
  });

  it('passes copies on for keys that are watched in other workers, and delivers theirs', () => {
    const { clock, link, watch, watcher } = open();
    const here = source(watch, 'a', 'x');
    watch.join(here);
    link.watchElsewhere(['a'], 'a');
    expect([here.announced, watch.isWatched('a')]).to.deep.equal([1, true]);
    clock.advance(FLUSH_MS);
    expect(link.passed).to.deep.equal([{ keyId: 'a', texts: '{"source":"x","message":1}', count: 1, dropped: 0 }]);
    link.watchElsewhere([], undefined);
    clock.advance(10 * FLUSH_MS);
    expect([here.calls.length, link.passed.length]).to.deep.equal([1, 1]);
    const mine = watcher('b');
    watch.watch(mine);
    const copies = { keyId: 'b', texts: '2', count: 1, dropped: 4 };
    link.getCopies(copies);
    link.getCopies({ ...copies, keyId: 'c' });
    expect(mine.got).to.deep.equal([copies]);
    watch.unwatch(mine);
    watch.unwatch(mine);
    expect(link.told).to.deep.equal([[['b'], 'b'], [[], undefined]]); // prettier-ignore
  });

  it('gives a watcher that does not read no more copies, and tells later how many those were', () => {
    const { watch } = open();
    const sent: string[] = [];
    const socket = { OPEN: 1, readyState: 1, bufferedAmount: 0, send: (text: string) => void sent.push(text) };
    const slow = new ConnectionWatch(watch, socket as unknown as WebSocket, { keyId: 'a', name: 'w' }, new Map());
    slow.begin();
    for (const [bufferedAmount, dropped] of [
      [1024 * 1024, 0],
      [1024 * 1024 + 1, 2],
      [1024 * 1024 + 1, 0],
      [0, 4],
    ] as const) {
      // prettier-ignore
      socket.bufferedAmount = bufferedAmount;
      slow.deliver({ keyId: 'a', texts: '1', count: 1, dropped });
    }
    expect(sent.map((text) => JSON.parse(text) as unknown)).to.deep.equal(
      [0, 8].map((dropped) => ({ type: 'watched', copies: [1], dropped })),
    );
    slow.leave();
    expect(watch.isWatched('a')).to.equal(false);
  });
});
