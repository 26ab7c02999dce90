import { expect } from 'chai';
import { BarMaker } from '../../../../src/service/markets/BarMaker.ts';

describe('BarMaker', () => {
  const made = (maker: BarMaker, ticks: readonly (readonly [timeUs: number, price: number])[]): (number | undefined)[] =>
    ticks.map(([timeUs, price]) => maker.add(timeUs, price)?.endUs);

  it('leaves out a bar whose beginning it has not seen, at the start and after missing ticks', () => {
    const maker = new BarMaker(10);
    expect(made(maker, [[3, 1], [12, 2], [21, 3]])).to.deep.equal([undefined, undefined, 20]); // prettier-ignore
    maker.cut();
    // Ticks from 22 to 44 are missing, so the bar from 40 to 50 is incomplete too.
    expect(made(maker, [[45, 1], [50, 2], [61, 3]])).to.deep.equal([undefined, undefined, 60]); // prettier-ignore
  });

  it('makes a bar whole with what the exchange knows of its beginning', () => {
    const maker = new BarMaker(10);
    maker.add(15, 5);
    maker.complete({ startUs: 10, open: 4, high: 9, low: 1, close: 5 });
    maker.add(18, 6);
    expect(maker.add(20, 7)).to.deep.equal({ endUs: 20, close: 6, range: { open: 4, high: 9, low: 1 } });
  });
});
