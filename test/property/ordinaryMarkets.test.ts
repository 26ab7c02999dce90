import { expect } from 'chai';
import fc from 'fast-check';
import { seededRandom } from '../../src/core/Random.ts';
import { importBytes } from '../support/importBytes.ts';

const START_MS = Date.UTC(2025, 2, 4, 14, 30);
type Row = readonly [ms: number, price: number, side: string];

const csv = (rows: readonly Row[]): string =>
  `time,price,side\n${rows.map(([ms, price, side]) => `${new Date(ms).toISOString()},${Number(price.toPrecision(12))},${side}\n`).join('')}`;

/** Codes of what is wrong with the prices, with how often; a file that is refused has its message. */
async function findings(rows: readonly Row[]): Promise<readonly string[]> {
  const { report } = await importBytes(csv(rows), { doubts: 'report' });
  return report.notes.filter(({ code }) => code.startsWith('price.')).map(({ code, severity, count }) => `${code} ${severity} ${count}`);
}

type Market = {
  readonly seed: number;
  readonly count: number;
  readonly steps: number;
  readonly spread: number;
  readonly atAsk: number;
  readonly moves: number;
};

/** Trades at the bid, and some at the ask, of a market whose price is some of its smallest steps. */
function coarse({ seed, count, steps, spread, atAsk, moves }: Market): Row[] {
  const random = seededRandom(seed);
  let ms = START_MS;
  let bid = steps;
  return Array.from({ length: count }, () => {
    ms += Math.ceil(-15_000 * Math.log(1 - random.uniform()));
    if (random.uniform() < moves) bid = Math.max(Math.ceil(steps / 2), bid + (random.uniform() < 0.5 ? -1 : 1));
    const isBuy = random.uniform() < atAsk;
    return [ms, 0.05 * (bid + (isBuy ? spread : 0)), isBuy ? 'buy' : 'sell'] as const;
  });
}

/** Most rows in turn with one price. */
function longestStill(rows: readonly Row[]): number {
  let [longest, still] = [0, 0];
  for (const [i, [, price]] of rows.entries()) longest = Math.max(longest, (still = price === rows[i - 1]?.[1] ? still + 1 : 1));
  return longest;
}

describe('findings of ordinary markets', () => {
  it('find nothing in the prices of a market whose smallest step is 5 to 700 basis points', async function () {
    this.timeout(60_000);
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          seed: fc.integer({ min: 1, max: 1e6 }),
          count: fc.integer({ min: 250, max: 4000 }),
          steps: fc.integer({ min: 15, max: 2000 }),
          spread: fc.integer({ min: 1, max: 2 }),
          atAsk: fc.constantFrom(0.005, 0.015, 0.05, 0.2, 0.5),
          moves: fc.constantFrom(0.002, 0.01, 0.1, 0.5),
        }),
        async (market) => {
          const rows = coarse(market);
          // A price that does not change for long is found, and rightly so.
          fc.pre(longestStill(rows) < rows.length / 3);
          expect(await findings(rows), JSON.stringify(market)).to.deep.equal([]);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('find no second market in a step of an option from 60 to 64, to and fro and for good', async () => {
    const rows = (price: (i: number) => number): Row[] =>
      Array.from({ length: 1500 }, (_, i) => [START_MS + 7000 * i + (i % 13), price(i), i % 3 === 0 ? 'buy' : 'sell'] as const);
    expect(await findings(rows((i) => (i < 700 ? 60 : 64)))).to.deep.equal([]);
    expect(await findings(rows((i) => (i % 60 === 59 ? 64 : 60)))).to.deep.equal([]);
    expect(await findings(rows((i) => 4 * (15 + (Math.floor(i / 300) % 3) + (i % 50 === 7 ? 1 : 0))))).to.deep.equal([]);
  });

  it('are the same for a wrong print up and down, of any size, at any place', async function () {
    this.timeout(60_000);
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 1e6 }),
        fc.double({ min: 1.0005, max: 6, noNaN: true }),
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 990 }),
        async (seed, factor, ticks, at) => {
          const random = seededRandom(seed);
          let log = 0;
          const path = Array.from({ length: 1000 }, () => (log += 4e-5 * random.normal()));
          const rows = (sign: 1 | -1): Row[] =>
            path.map((value, i) => {
              const print = i >= at && i < at + ticks ? Math.log(factor) : 0;
              return [START_MS + 700 * i + (i % 7), 100 * Math.exp(sign * (value + print)), 'buy'] as const;
            });
          const up = await findings(rows(1));
          expect(await findings(rows(-1)), `${seed} ${factor} ${ticks} ${at}`).to.deep.equal(up);
          expect(up.every((found) => found.startsWith('price.spike warning'))).to.equal(true);
          if (factor > 1.01) expect(up).to.deep.equal([`price.spike warning ${ticks}`]);
        },
      ),
      { numRuns: 60 },
    );
  });
});
