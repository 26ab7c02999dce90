import { expect } from 'chai';
import type { FormOptions } from '../../../../src/console/FormOptions.ts';
import { withRate } from '../../../../src/console/live/livePlan.ts';
import type { LiveMessage } from '../../../../clients/typescript/src/index.ts';
import type { LoggedForecast } from '../../../../src/console/live/ForecastLog.ts';
import { LiveSession } from '../../../../src/console/live/LiveSession.ts';
import type { BarWindow } from '../../../../src/ticks/BarWindow.ts';
import { FakeFeed } from './FakeFeed.ts';
import { forecast, mark, opened, outcome, score } from './liveMessages.ts';

const connected = (isResumed = false): LiveMessage => ({ type: 'connected', is_resumed: isResumed });
const lost: LiveMessage = { type: 'disconnected', code: 1006, reason: '', wait_ms: 2000 };

function start({
  ticks = 3000,
  speed = Infinity as number,
  options = {} as FormOptions,
  hasQuotes = false,
  stepS = 1,
  bars = undefined as BarWindow | undefined,
  unfinishedS = 0,
  isOfPage = false,
} = {}) {
  const feed = new FakeFeed();
  const clock = { ms: 1000 };
  const marks: LoggedForecast[] = [];
  const session = new LiveSession({
    feed,
    series: {
      timesUs: Float64Array.from({ length: ticks }, (_, i) => (i * stepS - (i === ticks - 1 ? unfinishedS : 0)) * 1_000_000),
      prices: new Float64Array(ticks).fill(100),
      bars,
      quotes: hasQuotes ? { bids: new Float64Array(ticks).fill(99), asks: new Float64Array(ticks).fill(101) } : undefined,
    },
    name: 'ticks',
    model: null,
    everyS: 5,
    options,
    speed,
    isOfPage,
    nowMs: () => clock.ms,
    onMark: (row) => marks.push(row),
    onChange: () => {},
  });
  return { feed, clock, marks, session };
}

describe('LiveSession', () => {
  it('opens one series with four horizons, and sends nothing before it is open', async () => {
    const { feed, session } = start({ options: { minMoveBps: 2 } });
    session.step();
    await feed.give(connected());
    session.step();
    expect(feed.calls).to.deep.equal(['open ticks 10s/5s/2,60s/5s/2,5m/5s/2,30m/5s/2']);
    expect([feed.pushed, session.phase]).to.deep.equal([0, 'connecting']);
    await feed.give(opened);
    session.step();
    expect([feed.pushed, session.phase]).to.deep.equal([500, 'streaming']);
  });

  it('leaves out horizons under two periods of a bar file', async () => {
    for (const [stepS, horizons] of [
      [30, ['60s', '5m', '30m']],
      [60, ['5m', '30m']],
      [900, ['30m']],
    ] as const) {
      const { feed, session } = start({ stepS });
      await feed.give(connected());
      expect(session.plans.map(({ id }) => id)).to.deep.equal(horizons);
      expect(feed.calls).to.deep.equal([`open ticks ${horizons.map((id) => `${id}/5s/undefined`).join(',')}`]);
    }
  });

  it('sends bid and ask where the ticks have them, and else the price', async () => {
    for (const [hasQuotes, sides] of [
      [true, { bid: 99, ask: 101 }],
      [false, { price: 100 }],
    ] as const) {
      const { feed, session } = start({ hasQuotes });
      await feed.give(connected(), opened);
      session.step();
      expect(feed.lastTick).to.deep.equal({ timeUs: 499_000_000, ...sides });
    }
  });

  it('plays bars with the timestamps of their file, at the horizons that bars have', async () => {
    const ranges = { open: new Float64Array(300).fill(99), high: new Float64Array(300).fill(101), low: new Float64Array(300).fill(98) };
    const bar = { open: 99, high: 101, low: 98, close: 100 };
    for (const [stepS, given, opened_, first] of [
      [60, { barTime: 'open', ranges }, '5m,30m,2h', { ...bar, timeUs: -60_000_000 }],
      [10, { barTime: 'close', ranges }, '60s,5m,30m,2h', { ...bar, timeUs: 0 }],
      [300, { barTime: 'open' }, '30m,2h', { close: 100, timeUs: -300_000_000 }],
    ] as const) {
      const { feed, session } = start({ ticks: 300, stepS, bars: { periodMs: 1000 * stepS, ...given } });
      await feed.give(connected(), opened);
      session.step();
      expect(session.plans.map(({ id }) => id).join()).to.equal(opened_);
      expect(feed.bars).to.deep.equal({ barTime: given.barTime, period: `${1000 * stepS}ms` });
      expect(feed.pushedBars[0]).to.deep.equal(first);
      expect([feed.pushedBars.length, feed.pushed]).to.deep.equal([300, 0]);
    }
  });

  it('does not send a last bar that has not ended', async () => {
    const { feed, session } = start({ ticks: 300, stepS: 60, bars: { periodMs: 60_000 }, unfinishedS: 20 });
    await feed.give(connected(), opened);
    session.step();
    expect([feed.pushedBars.length, session.player.isAtEnd]).to.deep.equal([299, true]);
  });

  it('asks for the rate of marks in place of the probability', () => {
    const cuts = (rate: string) => {
      const { opened } = start({ options: withRate({ minProbability: 0.4 }, rate) }).feed;
      return opened.map(({ markRate, minProbability }) => [markRate, minProbability]);
    };
    expect(cuts('0.05')).to.deep.equal(Array(4).fill([0.05, undefined]));
    expect(cuts('')).to.deep.equal(Array(4).fill([undefined, 0.4]));
  });

  it('waits for the service when too many ticks are not confirmed, and goes on with its score', async () => {
    const { feed, session } = start();
    await feed.give(connected(), opened);
    for (let i = 0; i < 10; i++) session.step();
    expect(feed.pushed).to.equal(1500);
    expect(feed.calls.filter((call) => call === 'score')).to.have.length(1);
    // The score confirms the 500 ticks before it.
    await feed.give(score());
    expect(feed.pushed).to.equal(2000);
    expect(session.scores[0]?.marks).to.equal(2);
  });

  it('logs forecasts with their tick and their outcome, and tells of marks', async () => {
    const { feed, session, marks } = start();
    await feed.give(connected(), opened, forecast({ n: 0 }), mark({ n: 1, timestamp: '1970-01-01 00:00:15.500' }), outcome({ n: 1 }));
    expect(session.log.rows.map(({ tick, status }) => [tick, status])).to.deep.equal([
      [10, 'none'],
      [15, 'identified'],
    ]);
    expect(marks.map(({ message }) => message.n)).to.deep.equal([1]);
    expect(session.log.rows[1]?.outcome?.moved).to.equal(true);
  });

  it('closes the series when the last tick is confirmed, and ends with its last score', async () => {
    const { feed, session } = start({ ticks: 400 });
    await feed.give(connected(), opened);
    session.step();
    expect([feed.pushed, session.phase]).to.deep.equal([400, 'streaming']);
    expect(feed.calls, 'ticks that are not sent would be lost').to.not.include('closeSeries');
    await feed.give(score({ outcomes: 1 }));
    expect(feed.calls).to.include('closeSeries');
    expect(session.phase).to.equal('stopping');
    await feed.give(score({ outcomes: 2 }));
    expect([session.phase, session.scores[0]?.outcomes]).to.deep.equal(['ended', 2]);
    expect(feed.calls.at(-1)).to.equal('close');
  });

  it('takes a score that was asked for before a stop for no last one', async () => {
    const { feed, session } = start();
    await feed.give(connected(), opened);
    session.step();
    session.stop();
    await feed.give(score({ outcomes: 1 }));
    expect(session.phase).to.equal('stopping');
    await feed.give(score({ outcomes: 2 }));
    expect([session.phase, session.scores[0]?.outcomes]).to.deep.equal(['ended', 2]);
  });

  it('stops at once on a second call', async () => {
    const { feed, session } = start();
    await feed.give(connected(), opened);
    session.step();
    session.stop();
    expect(session.phase).to.equal('stopping');
    session.stop();
    expect(session.phase).to.equal('ended');
    session.resume();
    session.step();
    expect(session.phase).to.equal('ended');
  });

  it('waits while the connection is lost, and goes on where it was', async () => {
    const { feed, session, clock } = start({ speed: 1 });
    await feed.give(connected(), opened);
    session.step();
    await feed.give(lost);
    expect([session.phase, session.retry]).to.deep.equal(['reconnecting', { code: 1006, atMs: 3000 }]);
    const { position } = session.player;
    clock.ms += 60_000;
    session.step();
    expect(session.player.position).to.equal(position);
    await feed.give(connected(true), opened);
    clock.ms += 1000;
    session.step();
    expect(session.player.position).to.equal(position + 1);
    expect([session.phase, session.isResumed, session.retry]).to.deep.equal(['streaming', true, undefined]);
    // The score that was asked for before does not come.
    expect(feed.calls.filter((call) => call === 'score')).to.have.length(2);
  });

  it('ends when the connection is lost while it stops', async () => {
    const { feed, session } = start();
    await feed.give(connected(), opened);
    session.step();
    session.stop();
    await feed.give(lost);
    expect(session.phase).to.equal('ended');
  });

  it('adds up what was skipped, and waits over the limit of the key', async () => {
    const { feed, session, clock } = start();
    await feed.give(connected(), opened);
    session.step();
    const { pushed } = feed;
    await feed.give(
      { type: 'status', code: 'skipped', detail: '', skipped: { 'limit.exceeded': 2, slow_consumer: 1 } },
      { type: 'status', code: 'skipped', detail: '', skipped: { 'limit.exceeded': 3 } },
    );
    expect(session.skipped).to.deep.equal({ 'limit.exceeded': 5, slow_consumer: 1 });
    session.step();
    expect([feed.pushed, session.isWaitingForLimit]).to.deep.equal([pushed, true]);
    clock.ms += 5001;
    session.step();
    expect([feed.pushed > pushed, session.isWaitingForLimit]).to.deep.equal([true, false]);
  });

  it('sends few ticks after a wait for the limit, until a score comes without skipped forecasts', async () => {
    const { feed, session, clock } = start();
    const overLimit: LiveMessage = { type: 'status', code: 'skipped', detail: '', skipped: { 'limit.exceeded': 2 } };
    await feed.give(connected(), opened);
    session.step();
    await feed.give(overLimit, score());
    const sent: number[] = [];
    for (const answers of [[overLimit, score()], [score()], []]) {
      const { pushed } = feed;
      clock.ms += 5001;
      session.step();
      sent.push(feed.pushed - pushed);
      await feed.give(...answers);
    }
    expect(sent).to.deep.equal([20, 20, 500]);
  });

  it('pauses and goes on, and pauses by itself after the tab slept', async () => {
    const { feed, session, clock } = start({ speed: 1 });
    await feed.give(connected(), opened);
    session.step();
    session.pause();
    expect(session.phase).to.equal('paused');
    session.resume();
    clock.ms += 3_600_000;
    session.step();
    expect([session.phase, session.player.sleptMs]).to.deep.equal(['paused', 3_600_000]);
  });

  describe('whether a level is reached', () => {
    const asks = (feed: FakeFeed): string[] => feed.calls.filter((call) => call.startsWith('ask'));
    const level = (price: number, probability: number): LiveMessage =>
      forecast({
        ...{ id: 'ask', last_tick: '1970-01-01 00:00:30.000', timestamp: '1970-01-01 00:00:30.000', future: '1970-01-01 00:01:30.000' },
        touch: {
          levels: [{ price, probability, version_probability: probability, baseline_probability: probability, reason: null }],
          outcomes: 0,
          reach: [{ level: 0.9, move_bps: 1, low: 99, high: 101, reason: null, coverage: null }],
        },
      });

    async function streaming(isOfPage: boolean) {
      const started = start({ isOfPage });
      await started.feed.give(connected(), opened);
      started.session.step();
      return { ...started, ask: (n: number) => started.session.level.ask('60s', n, 100.5) };
    }

    it('is asked with each forecast, one question at a time, of a moved level also when it moves', async () => {
      const { feed, session, ask } = await streaming(true);
      ask(0);
      expect(asks(feed), 'before the first forecast').to.deep.equal([]);
      await feed.give(forecast({ n: 0 }));
      ask(0);
      ask(1);
      expect(asks(feed)).to.deep.equal(['ask 60s 100.5']);
      await feed.give(level(100.5, 0.4));
      expect(session.log.rows, 'an answer is no forecast of the stream').to.have.length(1);
      ask(0);
      session.level.price = 101;
      ask(0);
      expect(asks(feed)).to.deep.equal(['ask 60s 100.5', 'ask 60s 101']);
      await feed.give(level(101, 0.2));
      expect(session.level.answerOf('60s')).to.include({ price: 101 });
      expect(session.level.answerOf('5m')).to.equal(undefined);
    });

    it('is asked of the service once the level was moved, and a refusal or a lost connection ends no more than the question', async () => {
      const { feed, session, ask } = await streaming(false);
      await feed.give(forecast({ n: 0 }));
      ask(0);
      expect(asks(feed)).to.deep.equal([]);
      session.level.price = 101;
      ask(0);
      const problem = { type: 'error', title: 'Over the limit.', detail: '' } as LiveMessage;
      await feed.give(problem);
      expect(session.phase).to.equal('streaming');
      ask(0);
      ask(1);
      expect(asks(feed)).to.deep.equal(['ask 60s 101', 'ask 60s 101']);
      await feed.give(lost, connected(), opened);
      ask(2);
      expect(asks(feed), 'before the ticks are there again').to.have.length(2);
      await feed.give(forecast({ n: 1 }));
      ask(2);
      expect(asks(feed)).to.have.length(3);
      await feed.give(level(101, 0.3), problem);
      expect(session.phase, 'an error without a question').to.equal('failed');
    });
  });
});
