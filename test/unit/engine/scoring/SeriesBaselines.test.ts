import { expect } from 'chai';
import fc from 'fast-check';
import { seededRandom } from '../../../../src/core/Random.ts';
import { baselinesAt, seriesBaselines, teach, UNTAUGHT } from '../../../../src/engine/scoring/SeriesBaselines.ts';
import { RIVALS, strongestOf, concludedOf, concludedSentence, concludedText } from '../../../../src/engine/scoring/conclusions.ts';

const HORIZON_MS = 60;
const FORECASTS = fc
  .array(
    fc.record({
      gapMs: fc.integer({ min: 0, max: 150 }),
      version: fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom(0, 1, 1e-300)),
      moved: fc.constantFrom(true, false, null),
    }),
    { maxLength: 80 },
  )
  .map((list) => {
    let atMs = 0;
    return list.map(({ gapMs, ...rest }) => ({ ...rest, atMs: (atMs += gapMs), endMs: atMs + HORIZON_MS }));
  });

describe('baselines of a series', () => {
  it('depend on no outcome that was not known at the forecast, and stay between 0 and 1', () => {
    fc.assert(
      fc.property(FORECASTS, fc.nat(), (forecasts, place) => {
        const all = seriesBaselines(forecasts);
        for (const { baseline, baseRate } of all) for (const p of [baseline, baseRate]) expect(p).to.be.above(0).and.below(1);
        if (forecasts.length === 0) return;
        const at = place % forecasts.length;
        const { atMs } = forecasts[at];
        // What follows is deleted, and what is not over yet has another outcome.
        const before = forecasts
          .slice(0, at + 1)
          .map((one) => (one.endMs > atMs ? { ...one, moved: one.moved === null ? true : null } : one));
        expect(seriesBaselines(before)).to.deep.equal(all.slice(0, at + 1));
      }),
    );
  });

  it('are those of a live series that learns each outcome when it is known', () => {
    fc.assert(
      fc.property(FORECASTS, (forecasts) => {
        let state = UNTAUGHT;
        const open: typeof forecasts = [];
        const live = forecasts.map((one) => {
          while (open.length > 0 && open[0].endMs <= one.atMs) {
            const { moved, ...question } = open.shift()!;
            if (moved !== null) state = teach(state, question, moved);
          }
          open.push(one);
          return baselinesAt(state, one.version);
        });
        expect(seriesBaselines(forecasts)).to.deep.equal(live);
      }),
    );
  });

  it('find a wrong level and slope of the version, and the base rate', () => {
    const random = seededRandom(7);
    const rows = Array.from({ length: 20_000 }, (_, i) => {
      const odds = -3 + 3 * random.uniform();
      const moved = random.uniform() < 1 / (1 + Math.exp(-(0.4 * odds + 0.1)));
      return { atMs: i * HORIZON_MS, endMs: (i + 1) * HORIZON_MS, version: 1 / (1 + Math.exp(-odds)), moved };
    });
    const last = seriesBaselines([
      ...rows,
      ...[-2.5, -1, -0.2].map((odds) => ({ ...rows[0], atMs: 2e9, version: 1 / (1 + Math.exp(-odds)) })),
    ]).slice(-3);
    for (const [i, odds] of [-2.5, -1, -0.2].entries())
      expect(last[i].baseline).to.be.closeTo(1 / (1 + Math.exp(-(0.4 * odds + 0.1))), 0.02);
    expect(last[0].baseRate).to.be.closeTo(rows.filter(({ moved }) => moved).length / rows.length, 1e-4);
  });

  it('learn nothing from an outcome that overlaps the last one', () => {
    const one = teach(UNTAUGHT, { atMs: 0, endMs: 60, version: 0.2 }, true);
    expect(teach(one, { atMs: 59, endMs: 119, version: 0.2 }, false)).to.equal(one);
    expect(teach(one, { atMs: 60, endMs: 120, version: 0.2 }, false).outcomes).to.equal(2);
  });
});

describe('a conclusion', () => {
  it('is that against the better baseline, by its interval', () => {
    for (const [baseline, baseRate, rival, conclusion] of [
      [[0.01, 0.03], [0.04, 0.06], 'baseline', 'better'],
      [[0.04, 0.06], [0.01, 0.03], 'base_rate', 'better'],
      // Better than one baseline is no result.
      [[0.04, 0.06], [-0.01, 0.03], 'base_rate', 'too_few'],
      [[-0.01, 0.01], [0.04, 0.06], 'baseline', 'too_few'],
      [[0.04, 0.06], [-0.03, -0.01], 'base_rate', 'worse'],
      [[0, 0.02], [0.04, 0.06], 'baseline', 'too_few'],
      [[-0.02, 0], [0.04, 0.06], 'baseline', 'too_few'],
      [null, null, 'baseline', 'too_few'],
    ] as const) {
      const against = { baseline, base_rate: baseRate };
      const found = strongestOf<{ readonly of: readonly [number, number] | null }>(
        { baseline: { of: baseline }, base_rate: { of: baseRate } },
        ({ of }) => (of === null ? 0 : (of[0] + of[1]) / 2),
      )!;
      expect([found, concludedOf(against[found])], JSON.stringify(against)).to.deep.equal([rival, conclusion]);
    }
    expect(strongestOf<number>({ baseline: null, base_rate: 1 }, (gain) => gain)).to.equal('base_rate');
    expect(strongestOf<number>({ baseline: null, base_rate: null }, (gain) => gain)).to.equal(null);
  });

  it('names its rival in every form', () => {
    for (const conclusion of ['better', 'worse', 'too_few'] as const)
      for (const rival of RIVALS) {
        const name = rival === 'baseline' ? 'the recalibrated volatility baseline' : 'the base rate so far';
        expect(concludedText(conclusion, rival)).to.match(new RegExp(`${name}$`));
        expect(concludedSentence(conclusion, rival, 'skill 1')).to.match(new RegExp(`${name}( yet)?: skill 1\\.`));
      }
    expect(concludedSentence('worse', 'base_rate', 'x')).to.include('the base rate so far alone would have been better');
  });
});
