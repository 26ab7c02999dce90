import { expect } from 'chai';
import { seededRandom } from '../../../src/core/Random.ts';
import { formatTimestamp } from '../../../src/ticks/timestamps.ts';
import { learnForecast, LiveFeed, LiveLap } from '../../chaos/liveFeeds.ts';

const RIGHT = '{"2024-01-02 00:00:00.000":{"trend_identified":1,"detail":{"opportunity":{"probability":0.6}}}}';

/** A feed whose right answers are known, with the messages of one lap. */
function known() {
  const feed = new LiveFeed(seededRandom(3));
  for (const due of feed.due.values()) learnForecast(due, RIGHT);
  const forecasts = [...feed.due.keys()].map((spot, n) => {
    const [id, us] = spot.split(' at ') as [string, string];
    const timestamp = formatTimestamp(Number(us));
    const numbers = { probability: 0.6, decision_threshold: 0.5, min_move_bps: 1 };
    return {
      type: 'forecast',
      series: 'a',
      id,
      n,
      last_tick: timestamp,
      timestamp,
      future: '',
      trend_identified: 1,
      ...numbers,
      status: 'identified',
      reasons: [],
      model: 'm',
    } as const;
  });
  const outcomes = forecasts.map(({ id, n }) => ({ type: 'outcome', series: 'a', id, n, moved: true, move_bps: 3 }) as const);
  const calm = new LiveLap(feed);
  for (const forecast of forecasts) calm.forecast(forecast);
  for (const outcome of outcomes) calm.learnOutcome(outcome);
  return { feed, forecasts, outcomes };
}

describe('live series of the chaos run', () => {
  const { feed, forecasts, outcomes } = known();

  it('has forecasts of every plan, each with its request', () => {
    expect(feed.due.size).to.be.above(40);
    for (const { body } of feed.due.values()) {
      const { Timestamp, Price } = body as { Timestamp: string[]; Price: number[] };
      expect(Timestamp.length).to.equal(Price.length).and.to.be.within(200, 501);
    }
  });

  it('holds for a lap with right answers', () => {
    const lap = new LiveLap(feed);
    for (const forecast of forecasts) expect(lap.forecast(forecast)).to.equal(undefined);
    for (const outcome of outcomes) expect(lap.outcome(outcome)).to.equal(undefined);
    expect([lap.missing, lap.scored]).to.deep.equal([{ forecasts: 0, outcomes: 0 }, forecasts.length]);
  });

  it('finds wrong, second and unexpected forecasts', () => {
    const lap = new LiveLap(feed);
    const [first, second, third] = forecasts;
    expect(lap.forecast({ ...first!, probability: 0.61 })).to.match(/^wrong forecast 1 0.61/);
    expect(lap.forecast({ ...second!, trend_identified: null })).to.match(/^wrong forecast null 0.6/);
    expect(lap.forecast({ ...second!, n: 99 })).to.match(/^a second forecast/);
    expect(lap.forecast({ ...third!, n: 0 })).to.match(/^a second forecast/);
    expect(lap.forecast({ ...third!, timestamp: '2024-01-02 00:00:00.000' })).to.match(/not due/);
  });

  it('finds wrong, second and unexpected outcomes', () => {
    const lap = new LiveLap(feed);
    lap.forecast(forecasts[0]);
    expect(lap.outcome(outcomes[1])).to.match(/without forecast/);
    expect(lap.outcome({ ...outcomes[0], moved: false })).to.match(/^wrong outcome/);
    expect(lap.outcome(outcomes[0])).to.match(/^a second outcome/);
  });

  it('counts what is missing, except for skipped forecasts and their outcomes', () => {
    const lap = new LiveLap(feed);
    for (const forecast of forecasts.slice(3)) lap.forecast(forecast);
    for (const outcome of outcomes.slice(5)) lap.outcome(outcome);
    lap.skipped = 1;
    expect([lap.missing, lap.absent]).to.deep.equal([{ forecasts: 2, outcomes: 2 }, 3]);
  });
});
