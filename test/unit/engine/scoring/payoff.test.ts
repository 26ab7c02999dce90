import { expect } from 'chai';
import { seededRandom } from '../../../../src/core/Random.ts';
import { payoffTable, proposeCut, type PaidWindow } from '../../../../src/engine/scoring/payoff.ts';
import { paidText, payoffCells, proposalText, wishText } from '../../../../src/engine/scoring/payoffWords.ts';

const HOUR_US = 3600e6;
const window = (over: Partial<PaidWindow> = {}): PaidWindow => ({
  ...{ timeUs: 0, probability: 0.2, baselineProbability: 0.2, isMarked: false, moveBps: 1, costBps: 2 },
  ...over,
});

/** One window an hour; moves are 4 or 1 basis points, as the probability says. */
function market(count: number, costBps = 2): PaidWindow[] {
  const random = seededRandom(4);
  return Array.from({ length: count }, (_, i) => {
    const probability = random.uniform();
    const moveBps = (random.uniform() < 0.5 ? -1 : 1) * (random.uniform() < probability ? 4 : 1);
    const baselineProbability = 0.5 * probability + 0.5 * random.uniform();
    return window({ timeUs: i * HOUR_US, probability, baselineProbability, isMarked: probability >= 0.6, moveBps, costBps });
  });
}

describe('payoff of a replay', () => {
  it('counts hits and the mean move beyond the cost, for marks, as many by the baseline, and all', () => {
    const windows = [
      window({ isMarked: true, probability: 0.9, moveBps: -5 }),
      window({ isMarked: true, probability: 0.8, moveBps: 1 }),
      window({ baselineProbability: 0.9, moveBps: 3 }),
      window({ baselineProbability: 0.8, moveBps: 2 }),
    ];
    const { marks, baseline, all } = payoffTable(windows);
    expect([marks.count, marks.hits, marks.perfectBps]).to.deep.equal([2, 1, 1]);
    // A move of exactly the cost is no hit.
    expect([baseline.count, baseline.hits, baseline.perfectBps]).to.deep.equal([2, 1, 0.5]);
    expect([all.count, all.hits, all.share, all.perfectInterval95]).to.deep.equal([4, 2, 1, null]);
  });

  it('has a line for each cut that marks a window, with as many windows by the baseline', () => {
    const windows = market(400);
    const { cuts } = payoffTable(windows);
    expect(cuts.map(({ cut }) => cut)).to.deep.equal([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]);
    for (const { cut, model, baseline } of cuts) {
      expect(model.count).to.equal(windows.filter(({ probability }) => probability >= cut).length);
      expect(baseline.count).to.equal(model.count);
    }
    expect(cuts.at(-1)!.model.hitRate).to.be.above(cuts[0].model.hitRate);
  });

  it('proposes a cut from the earlier half, and shows it on the later one', () => {
    const windows = market(2000);
    const byShare = proposeCut(windows, { share: 0.1 })!;
    expect(byShare.cut).to.be.closeTo(0.9, 0.02);
    expect(byShare.model.share).to.be.closeTo(0.1, 0.03);
    const byHits = proposeCut(windows, { hitRate: 0.75 })!;
    // Above a cut c, the mean probability is (1 + c) / 2.
    expect(byHits.cut).to.be.closeTo(0.5, 0.1);
    expect(byHits.model.hitRate).to.be.closeTo(0.75, 0.06);
    // What the line says is what a caller gets who asks for it.
    expect(byHits.cut * 1000).to.be.closeTo(Math.round(byHits.cut * 1000), 1e-9);
    const later = windows.slice(1000).filter(({ probability }) => probability >= byHits.cut);
    expect(byHits.model.count).to.equal(later.length);
    // The later half decides nothing.
    const changed = windows.map((each, at) => (at < 1000 ? each : { ...each, moveBps: 0 }));
    expect(proposeCut(changed, { hitRate: 0.75 })!.cut).to.equal(byHits.cut);
    expect(proposeCut(market(30), { hitRate: 0.99 })).to.equal(null);
    expect(proposeCut([], { share: 0.1 })).to.equal(null);
  });

  it('says whether marks would have paid', () => {
    const text = (windows: PaidWindow[]): string => paidText(payoffTable(windows), true);
    expect(text([window()])).to.equal('Would it have paid? Nothing was marked.');
    expect(text(market(400))).to.match(/^Would it have paid\? With the right direction each time, yes: /);
    expect(text(market(400, 3.9))).to.match(/^Would it have paid\? No, not even with the right direction each time: /);
    expect(text([window({ isMarked: true, moveBps: 9 })]))
      .to.match(/^Would it have paid\? Not shown, even with the right direction each time: /)
      .and.include('too few hours for an interval');
    const asVolatility = market(400).map((each) => ({ ...each, baselineProbability: each.probability }));
    expect(text(asVolatility)).to.match(/^Would it have paid\? No better than volatility alone: /);
    expect(paidText(payoffTable([window({ isMarked: true })]), false)).to.include('(no cost was named)');
    expect(paidText(payoffTable([window({ isMarked: true })]), false, 14.444)).to.include('(no cost was named; the spread is 14.4 bps)');
    expect(paidText(payoffTable([window({ isMarked: true })]), true, 14.444))
      .to.include('beyond your cost')
      .and.not.include('14.4');
  });

  it('writes no minus for a mean that rounds to 0, and says where a wish has no cut', () => {
    const { all } = payoffTable([window({ moveBps: 1.9999 })]);
    expect(payoffCells(all)[2]).to.match(/^0\.00 bps/);
    expect(proposalText('x', null)).to.equal('For x, the earlier half of the windows gives no cut.');
    const falling = Array.from({ length: 40 }, (_, i) => window({ timeUs: i, probability: 0.9 - i / 50 }));
    expect(wishText({ share: 0.1 }, proposeCut(falling, { share: 0.1 }))).to.equal(
      'For marks on 10 % of the windows: min_probability 0.88, chosen on the earlier half. On the later half it marks nothing.',
    );
  });
});
