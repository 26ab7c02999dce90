import { expect } from 'chai';
import fc from 'fast-check';
import { allocateRows, isOpportunity } from '../../../../training/data/RowSet.ts';
import { askSeries, rowsInTime } from '../../../../training/models/askSeries.ts';

type Line = { id?: number; times_us?: number[]; time_us?: number; horizon_ms?: number; outcomes?: { id: number; moved: boolean }[] };

/** Ticks with equal milliseconds, in segments, and windows of two horizons at some of them. */
const markets = fc.record({
  gapsUs: fc.array(fc.constantFrom(0, 100, 900, 1000, 250_000, 5_000_000), { minLength: 2, maxLength: 60 }),
  cuts: fc.array(fc.nat(59), { maxLength: 3 }),
  asked: fc.array(fc.record({ at: fc.nat(59), horizonS: fc.constantFrom(1, 10) }), { minLength: 1, maxLength: 20 }),
});

describe('askSeries', () => {
  it('sends every tick once, none after the origin, and outcomes when they are known', async () => {
    await fc.assert(
      fc.asyncProperty(markets, async ({ gapsUs, cuts, asked }) => {
        let us = 1_000_000_000;
        const times = gapsUs.map((gap) => (us += gap));
        const msOf = (at: number): number => Math.floor(times[at] / 1000);
        // A segment ends between two milliseconds, and an origin is the last tick of its own.
        const ends = [...new Set([...cuts.filter((at) => at > 0 && at < times.length && msOf(at) > msOf(at - 1)), times.length])].sort(
          (a, b) => a - b,
        );
        const series = { timesUs: Float64Array.from(times), prices: Float64Array.from(times, (_, i) => 100 + i) };
        const segments = () => ends.map((to, i) => ({ series, from: ends[i - 1] ?? 0, to }));
        const windows = [...new Map(asked.map((one) => [`${msOf(one.at % times.length)}/${one.horizonS}`, one])).values()];
        const rows = allocateRows(windows.length, 1);
        windows.forEach(({ at, horizonS }, row) => {
          rows.originUs[row] = msOf(at % times.length) * 1000;
          rows.horizonS[row] = horizonS;
          rows.thetaDefault[row] = rows.theta[row] = 1e-4;
          rows.move[row] = row % 2 === 0 ? 2e-4 : 0;
        });
        const sent: number[] = [];
        const answered: number[] = [];
        const told = new Set<number>();
        const check = (text: string): void => {
          const line = JSON.parse(text) as Line;
          sent.push(...(line.times_us ?? []));
          if (line.id === undefined) return;
          const { id } = line;
          expect(line).to.include({ time_us: rows.originUs[id], horizon_ms: rows.horizonS[id] * 1000 });
          expect(sent).to.deep.equal(times.filter((time) => Math.floor(time / 1000) * 1000 <= rows.originUs[id]));
          for (const { id: of, moved } of line.outcomes ?? []) {
            expect(told.has(of)).to.equal(false);
            told.add(of);
            expect(moved).to.equal(isOpportunity(rows, of) === 1);
          }
          const endUs = (of: number): number => rows.originUs[of] + rows.horizonS[of] * 1e6;
          expect([...told].sort()).to.deep.equal(answered.filter((of) => endUs(of) <= rows.originUs[id]).sort());
        };
        const model = {
          tell: (lines: Iterable<string>) => Promise.resolve(void [...lines].map(check)),
          ask: (lines: Iterable<string>) => {
            for (const line of lines) check(line);
            return Promise.resolve(0.5);
          },
        };
        const order = rowsInTime(rows, 0);
        await askSeries(model, { name: 'a', segments }, rows, order, { onAnswer: (row) => answered.push(row) });
        expect(answered).to.deep.equal(order);
      }),
    );
  });
});
