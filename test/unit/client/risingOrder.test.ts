import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import fc from 'fast-check';
import { RisingOrder } from '../../../clients/typescript/src/live/RisingOrder.ts';
import { RISING_ORDER } from '../../golden/makeRisingOrder.ts';

const S = 1_000_000;
const T0 = Date.UTC(2025, 2, 4) * 1000;

type Tick = { readonly us: number; readonly isWrong?: boolean };

/** What comes out, one list for each series, and what was left out. */
function through(ticks: readonly Tick[]): { readonly parts: Tick[][]; readonly order: RisingOrder<Tick> } {
  const parts: Tick[][] = [[]];
  const order = new RisingOrder<Tick>();
  for (const tick of ticks) {
    const found = order.take(tick.us, tick);
    if (found === 'next') parts.at(-1)!.push(tick);
    if (found === 'restarted') parts.push([]);
    if (found === 'confirmed' || found === 'restarted') parts.at(-1)!.push(...order.released);
  }
  order.end();
  return { parts, order };
}

const isRising = (ticks: readonly Tick[]): boolean => ticks.every(({ us }, i) => i === 0 || us >= ticks[i - 1].us);

/** Ticks between two pauses: pauses closer together look, with a wrong stamp after them, like a market that has become slow. */
const BETWEEN_PAUSES = 8;

/** Ticks up to a second apart, some of one stamp; with pauses of up to three days where `pauses`. */
const market = (least: number, pauses: boolean): fc.Arbitrary<Tick[]> =>
  fc
    .array(
      fc.record({
        us: fc.oneof({ weight: 9, arbitrary: fc.integer({ min: 1, max: S }) }, { weight: 1, arbitrary: fc.constant(0) }),
        pause: fc.integer({ min: 0, max: 99 }),
        length: fc.integer({ min: 60, max: 260_000 }),
      }),
      { minLength: least, maxLength: least + 200 },
    )
    .map((steps) => {
      let [us, next] = [T0, 0];
      return steps.map((step, i) => {
        const isPause = pauses && step.pause === 99 && i >= next;
        if (isPause) next = i + BETWEEN_PAUSES;
        return { us: (us += step.us + (isPause ? step.length * S : 0)) };
      });
    });

/** At some places one tick, or two in a row, whose stamps are wrong. */
const withWrong = (ticks: readonly Tick[], places: readonly number[], aheadS: readonly number[], pairs = true): Tick[] =>
  ticks.flatMap((tick, i) => {
    const at = places.indexOf(i);
    if (at < 0 || i < 20) return [tick];
    const by = aheadS[at % aheadS.length] * S;
    return pairs && at % 3 === 0
      ? [{ us: tick.us + by, isWrong: true }, { us: tick.us + by + S / 10, isWrong: true }, tick]
      : [{ us: tick.us + by, isWrong: true }, tick];
  });
const wrong = (leastS: number): fc.Arbitrary<{ places: number[]; aheadS: number[] }> =>
  fc.record({
    places: fc.uniqueArray(fc.integer({ min: 20, max: 400 }), { maxLength: 20 }),
    aheadS: fc.array(fc.integer({ min: leastS, max: 864_000 }), { minLength: 1, maxLength: 5 }),
  });

describe('the order of what only rises', () => {
  it('is the recorded one, which the Python client has too', () => {
    const recorded: unknown = JSON.parse(readFileSync(new URL('../../golden/risingOrder.json', import.meta.url), 'utf8'));
    expect(RISING_ORDER).to.deep.equal(recorded);
  });

  it('loses one tick by one wrong stamp, 20 s, 20 h or a day ahead', () => {
    for (const ahead of [20, 72_000, 86_400]) {
      const ticks = Array.from({ length: 1200 }, (_, i) => ({ us: T0 + 400_000 * i + (i === 400 ? ahead * S : 0), isWrong: i === 400 }));
      const { parts, order } = through(ticks);
      expect([parts.length, parts[0].length, order.ahead, order.late]).to.deep.equal([1, 1199, 1, 0]);
    }
  });

  it('leaves out the wrong stamps of a market and no other tick', () => {
    fc.assert(
      fc.property(market(200, false), wrong(25), (ticks, { places, aheadS }) => {
        const { parts } = through(withWrong(ticks, places, aheadS));
        expect(parts).to.deep.equal([ticks]);
      }),
    );
  });

  it('passes every tick around pauses on in order, however many stamps are wrong', () => {
    fc.assert(
      fc.property(market(200, true), wrong(72_000), (ticks, { places, aheadS }) => {
        // Two that are wrong just after a pause look like a market that has become slow.
        const { parts } = through(withWrong(ticks, places, aheadS, false));
        expect(parts).to.have.length(1);
        expect(isRising(parts[0])).to.equal(true);
        const passed = parts[0].filter(({ isWrong }) => isWrong !== true);
        // Those after the last pause may wait for others.
        expect(passed).to.deep.equal(ticks.slice(0, passed.length));
        expect(new Set(ticks.slice(passed.length).map(({ us }) => us)).size).to.be.at.most(2);
      }),
    );
  });

  it('begins a new series where times begin again, also after a first stamp that is wrong, and loses none of it', () => {
    fc.assert(
      fc.property(market(1, true), market(210, false), fc.integer({ min: 600, max: 1e6 }), (before, after, backS) => {
        const shift = before.at(-1)!.us + backS * S - T0;
        const { parts } = through([...before.map(({ us }) => ({ us: us + shift })), ...after]);
        expect(parts.at(-1)).to.deep.equal(after);
        expect(parts).to.have.length(2);
      }),
    );
  });

  it('keeps the series where earlier ticks come again, or one source lags', () => {
    fc.assert(
      fc.property(market(300, false), fc.integer({ min: 1, max: 199 }), (ticks, again) => {
        const { parts, order } = through([...ticks.slice(0, 250), ...ticks.slice(250 - again, 250), ...ticks.slice(250)]);
        expect([parts.length, isRising(parts[0])]).to.deep.equal([1, true]);
        expect(parts[0].length - ticks.length).to.be.within(0, order.late === 0 ? again : again - order.late);
        const lagging = ticks.flatMap((tick) => [tick, { us: tick.us - 3600 * S }]);
        expect(through(lagging).parts).to.deep.equal([ticks]);
      }),
    );
  });

  it('confirms bars over every weekend, and a market that becomes slow', () => {
    const weekend = Array.from({ length: 900 }, (_, i) => ({ us: T0 + 60 * S * (i + (i >= 500 ? 2880 : 0) + (i >= 800 ? 2880 : 0)) }));
    expect(through(weekend).parts).to.deep.equal([weekend]);
    const slow = Array.from({ length: 300 }, (_, i) => ({ us: T0 + (i < 200 ? i * 10_000 : 2 * S + (i - 199) * 600 * S) }));
    expect(through(slow).parts).to.deep.equal([slow]);
  });
});
