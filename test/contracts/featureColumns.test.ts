import { expect } from 'chai';
import fc from 'fast-check';
import {
  type Column,
  CONTEXT_COLUMN_NAMES,
  CONTEXT_COLUMNS,
  mirrorContext,
  mirrorSequence,
  SEQUENCE_COLUMN_NAMES,
  CONTEXT_TABLE,
  SEQUENCE_TABLE,
} from '../../src/engine/features/columns.ts';
import { FeatureBuilder } from '../../src/engine/features/FeatureBuilder.ts';
import { SEQUENCE_COLUMNS, SEQUENCE_STEPS } from '../../src/engine/features/WindowMeasures.ts';
import { lastUs, walkTicks } from '../support/walkTicks.ts';

const TABLES: readonly (readonly [string, readonly Column[]])[] = [
  ['sequence', SEQUENCE_TABLE],
  ['context', CONTEXT_TABLE],
];

/** The first value outside its column's bounds, or NaN; undefined if there is none. */
function outside(table: readonly Column[], values: Float32Array): string | undefined {
  const at = values.findIndex((value, i) => !(value >= table[i % table.length].low && value <= table[i % table.length].high));
  return at < 0 ? undefined : `${table[at % table.length].name} of row ${Math.floor(at / table.length)} is ${values[at]}`;
}

describe('feature columns', () => {
  it('have unique names, bounds that contain 0 or lie on one side of it, and an `undefinedAs` within the bounds', () => {
    expect(SEQUENCE_COLUMN_NAMES).to.have.length(SEQUENCE_COLUMNS);
    expect(CONTEXT_COLUMN_NAMES).to.have.length(CONTEXT_COLUMNS);
    for (const [name, table] of TABLES) {
      expect(new Set(table.map((column) => column.name)).size, name).to.equal(table.length);
      for (const { name: column, low, high, undefinedAs, mirror, scale } of table) {
        expect(low < high && scale > 0, column).to.equal(true);
        if (undefinedAs !== null) expect(undefinedAs >= low && undefinedAs <= high, column).to.equal(true);
        if (mirror === 'negate') expect(low, column).to.equal(-high);
        if (mirror === 'one_minus') expect([low, high, undefinedAs], column).to.deep.equal([0, 1, 0.5]);
      }
    }
  });

  it('return to their value after two reflections', () => {
    const sequence = Float32Array.from({ length: SEQUENCE_STEPS * SEQUENCE_COLUMNS }, (_, i) => Math.fround(((i * 37) % 101) / 128));
    const context = Float32Array.from({ length: CONTEXT_COLUMNS }, (_, i) => Math.fround(((i * 53) % 97) / 128));
    const before = [...sequence, ...context];
    mirrorSequence(sequence, 0);
    mirrorContext(context, 0);
    expect([...sequence, ...context]).to.not.deep.equal(before);
    expect([sequence[0], sequence[1], sequence[2]]).to.deep.equal([-before[0], -before[2], -before[1]]);
    mirrorSequence(sequence, 0);
    mirrorContext(context, 0);
    expect([...sequence, ...context]).to.deep.equal(before);
  });

  it('stay finite and within their bounds for all kinds of windows, or the window is refused with a reason', () => {
    const builder = new FeatureBuilder();
    const sequence = new Float32Array(SEQUENCE_STEPS * SEQUENCE_COLUMNS);
    const context = new Float32Array(CONTEXT_COLUMNS);
    let answered = 0;
    fc.assert(
      fc.property(
        fc.record({ seed: fc.nat(), count: fc.integer({ min: 1, max: 700 }), meanGapMs: fc.constantFrom(1, 30, 900, 60_000, 3_600_000) }),
        fc.record({ maxSteps: fc.constantFrom(0, 1, 5, 400), equalTimestampFraction: fc.constantFrom(0, 0.3, 0.9) }),
        fc.constantFrom(50, 999, 5000, 60_000, 3_600_000, 864_000_000),
        fc.constantFrom(1e-12, 1e-6, 1e-4, 0.01, 1e3),
        // A section of the window, as fractions of it, in which the price is constant or jumps.
        fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom(0, 1, 1e-9, 1e9)),
        (size, kind, horizonMs, theta, [start, end, jump]) => {
          const series = walkTicks({ ...size, ...kind });
          for (let i = Math.floor(start * size.count); i < end * size.count; i++) {
            series.prices[i] = jump === 0 ? series.prices[Math.floor(start * size.count)] : series.prices[i] * jump;
          }
          const measures = builder.read(series, 0, size.count, lastUs(series) + horizonMs * 1000);
          if (typeof measures === 'string') {
            expect(measures).to.be.oneOf(['too_few_distinct_ticks', 'window_without_duration', 'constant_price', 'level_changed']);
            return;
          }
          answered++;
          expect(builder.write(theta, sequence, 0, context, 0)).to.equal(null);
          expect(outside(SEQUENCE_TABLE, sequence)).to.equal(undefined);
          expect(outside(CONTEXT_TABLE, context)).to.equal(undefined);
        },
      ),
      { numRuns: 120 },
    );
    expect(answered).to.be.above(15);
  });
});
