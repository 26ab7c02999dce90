import { expect } from 'chai';
import fc from 'fast-check';
import { labelOutcome } from '../../src/console/ticks/labelOutcome.ts';
import { labelOrigin } from '../../src/engine/features/labelOrigin.ts';
import { sessionGapS } from '../../src/engine/features/sessionGap.ts';
import { isPause, OutcomeTracker, type Settled } from '../../src/engine/live/OutcomeTracker.ts';
import { RememberedForecasts } from '../../src/service/live/RememberedForecasts.ts';
import { EMPTY_TALLY, mergeTallies } from '../../src/engine/live/score.ts';
import { FakeClock } from '../support/FakeClock.ts';

/** Gaps in ms: equal stamps, parts of a millisecond, some around the entry delay, and pauses of the market. */
const GAPS = [0, 0, 0.001, 0.4, 0.6, 1, 300, 999, 999.999, 1000, 1001, 4000, 30_000, 1_799_999.6, 1_800_000, 1_800_000.7, 1_800_001, 4e6];
const START_US = 1_700_000_000_000_000;
const NAME = { accountId: 'a', series: 's' };
const MIN_MOVE_BPS = 500;

const TICKS = fc.array(fc.record({ gapMs: fc.constantFrom(...GAPS), price: fc.constantFrom(1, 1.0000000001, 1.1, 1.2) }), {
  minLength: 2,
  maxLength: 60,
});

describe('the outcome of a forecast', () => {
  it('is the same in training, live series, the track record and the console', () => {
    const horizons = fc.constantFrom(1, 700, 1000, 1500, 60_000, 1_900_000);
    const seen = new Set<string>();
    fc.assert(
      fc.property(
        TICKS,
        horizons,
        fc.constantFrom(null, 0.1, 40),
        fc.constantFrom(0, 0, 60_000),
        (list, horizonMs, medianGapS, barPeriodMs) => {
          let timeUs = START_US;
          const timesUs = Float64Array.from(list, ({ gapMs }) => (timeUs += Math.round(gapMs * 1000)));
          const series = { timesUs, prices: Float64Array.from(list, ({ price }) => price) };
          const lastMs = Math.floor(timesUs.at(-1)! / 1000);
          const live = settledLive(series, horizonMs, barPeriodMs);
          for (let origin = 0; origin < list.length; origin++) {
            const endMs = Math.floor(timesUs[origin] / 1000) + horizonMs;
            const label = labelOrigin(series, origin, horizonMs / 1000, sessionGapS(medianGapS ?? 0, barPeriodMs), barPeriodMs);
            const shown = barPeriodMs > 0 ? null : labelOutcome(series, origin, horizonMs, medianGapS === null ? null : medianGapS * 1000);
            const settled = live.get(origin);
            const { outcomes, moved, forecasts, unscored } = recorded(series, origin, horizonMs, medianGapS, barPeriodMs);
            // Live series and the record wait for a tick beyond the future timestamp: another one of that millisecond could follow.
            expect(settled !== undefined, `origin ${origin}`).to.equal(endMs < lastMs);
            expect([forecasts, outcomes + unscored]).to.deep.equal([1, endMs < lastMs ? 1 : 0]);
            if (label.status === 'dropped') {
              seen.add(label.why);
              if (shown !== null)
                expect(shown).to.deep.equal({ status: 'unknown', why: label.why === 'data_ends' ? 'file_ends' : 'market_paused' });
              if (settled !== undefined) expect(isPause(settled.longestGapMs, medianGapS, barPeriodMs)).to.equal(true);
              expect(outcomes).to.equal(0);
              continue;
            }
            seen.add(label.entry === null ? 'no price' : 'price');
            if (shown !== null)
              expect(shown).to.deep.equal({ status: 'known', moveBps: label.move * 1e4, entry: label.entry, exit: label.exit });
            if (settled === undefined) continue;
            expect([settled.move, isPause(settled.longestGapMs, medianGapS, barPeriodMs)]).to.deep.equal([label.move, false]);
            expect([outcomes, moved]).to.deep.equal([1, Math.abs(label.move) * 1e4 > MIN_MOVE_BPS ? 1 : 0]);
          }
        },
      ),
      { numRuns: 1000 },
    );
    expect([...seen].sort()).to.deep.equal(['data_ends', 'no price', 'price', 'session_gap']);
  });
});

type Ticks = { readonly timesUs: Float64Array; readonly prices: Float64Array };

function settledLive({ timesUs, prices }: Ticks, horizonMs: number, barPeriodMs: number): Map<number, Settled> {
  const tracker = new OutcomeTracker<number>(horizonMs, barPeriodMs);
  const settled = new Map<number, Settled>();
  timesUs.forEach((us, i) => {
    tracker.push(Math.floor(us / 1000), prices[i], (origin, outcome) => settled.set(origin, outcome));
    tracker.add(i);
  });
  return settled;
}

/** What the track record counts for one forecast at a tick, after a request with all ticks. */
function recorded(series: Ticks, origin: number, horizonMs: number, medianGapS: number | null, barPeriodMs: number) {
  let sum = EMPTY_TALLY;
  const record = new RememberedForecasts(
    { add: (_, tally) => void (sum = mergeTallies(sum, tally)), storeSoon: () => {}, rows: () => Promise.resolve([]) },
    new FakeClock(),
  );
  const summary = {
    model: 'm',
    probability: 0.5,
    baselineProbability: 0.5,
    decisionThreshold: 0.4,
    minMoveBps: MIN_MOVE_BPS,
    reasons: [],
    medianGapS,
  };
  const until = { timesUs: series.timesUs.slice(0, origin + 1), prices: series.prices.slice(0, origin + 1) };
  const futureUs = Math.floor(series.timesUs[origin] / 1000) * 1000 + horizonMs * 1000;
  const bars = barPeriodMs > 0 ? { bars: { periodMs: barPeriodMs } } : {};
  record.remember(NAME, { series: until, futureUs, ...bars }, { mark: null, summary }, true);
  record.settle(NAME, series);
  return sum;
}
