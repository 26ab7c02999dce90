import { expect } from 'chai';
import { SeenTicks } from '../../../../src/engine/model/SeenTicks.ts';
import { syntheticTicks } from '../../../../src/ticks/syntheticTicks.ts';
import type { TickSeries } from '../../../../src/ticks/TickSeries.ts';
import { SeenTicksWriter } from '../../../../training/data/SeenTicksWriter.ts';

const part = ({ timesUs, prices }: TickSeries, from: number, to: number): TickSeries => ({
  timesUs: timesUs.slice(from, to),
  prices: prices.slice(from, to),
});
const spanOf = ({ timesUs }: TickSeries): { fromUs: number; toUs: number } => ({ fromUs: timesUs[0], toUs: timesUs.at(-1)! });

describe('SeenTicks', () => {
  const trained = syntheticTicks({ seed: 3, count: 6000 });
  const span = spanOf(part(trained, 0, 5000));
  const writer = new SeenTicksWriter();
  writer.add(trained, span);
  const seen = SeenTicks.read(writer.json())!;

  const changed = (window: TickSeries, time: (us: number) => number, price: (value: number) => number): TickSeries => ({
    timesUs: window.timesUs.map(time),
    prices: window.prices.map(price),
  });
  const window = part(trained, 1000, 1500);
  const cases: [string, TickSeries, boolean][] = [
    ['knows a window of the ticks', window, true],
    ['knows a window from any tick on', part(trained, 1234, 1734), true],
    ['knows mids that differ in the last digits', changed(window, (us) => us, (value) => value * (1 + 1e-15)), true], // prettier-ignore
    ['knows the ticks in microseconds', changed(window, (us) => us + 7, (value) => value), true], // prettier-ignore
    ['does not know other prices at the same times', changed(window, (us) => us, (value) => value * 1.001), false], // prettier-ignore
    ['does not know the same prices at other times of the span', changed(window, (us) => us + 1_000_000, (value) => value), false], // prettier-ignore
    ['does not know ticks that came after the span', part(trained, 5500, 6000), false],
    ['does not know other ticks of the same time', part(syntheticTicks({ seed: 4, count: 6000 }), 1000, 1500), false],
  ];
  for (const [title, ticks, isSeen] of cases) it(title, () => expect(seen.includes(ticks, [span])).to.equal(isSeen));

  it('hashes no tick of a window outside the spans', () => {
    const later = changed(window, (us) => us + 1e15, (value) => value); // prettier-ignore
    const prices = new Proxy(later.prices, { get: () => expect.fail('a price was read') });
    expect(seen.includes({ timesUs: later.timesUs, prices }, [span])).to.equal(false);
  });

  it('keeps the ticks of the version that is tuned', () => {
    const tuned = new SeenTicksWriter(seen);
    const own = syntheticTicks({ seed: 5, count: 1000 });
    tuned.add(own, spanOf(own));
    const both = SeenTicks.read(tuned.json())!;
    for (const ticks of [window, part(own, 0, 500)]) expect(both.includes(ticks, [span, spanOf(own)])).to.equal(true);
  });

  const wrong: [string, unknown][] = [
    ['another format', { format: 'tickmark-seen/9', hashes: '' }],
    ['no hashes', { format: 'tickmark-seen/1' }],
    ['hashes that are not base64', { format: 'tickmark-seen/1', hashes: 'A?AA' }],
    ['half a hash', { format: 'tickmark-seen/1', hashes: 'AAA=' }],
    ['hashes that do not ascend', { format: 'tickmark-seen/1', hashes: Buffer.alloc(8).toString('base64') }],
    ['null', null],
  ];
  for (const [what, value] of wrong) it(`does not read ${what}`, () => expect(SeenTicks.read(value)).to.equal(null));
});
