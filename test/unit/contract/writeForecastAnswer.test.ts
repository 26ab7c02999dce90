import { expect } from 'chai';
import fc from 'fast-check';
import type { ForecastDetail } from '../../../src/contract/forecastDetail.ts';
import { type AnswerParts, writeForecastAnswer, writeLastAnswer } from '../../../src/contract/writeForecastAnswer.ts';

/** The same answer, built as an object. Timestamp keys keep their order: none looks like an array index. */
function oracle(timestamps: readonly string[], mark: 1 | null, parts: AnswerParts): string {
  const answer: Record<string, unknown> = {};
  for (const stamp of timestamps.slice(0, -1)) answer[stamp] = { trend_identified: null };
  answer[timestamps.at(-1) as string] = { trend_identified: mark, ...parts };
  return JSON.stringify(answer);
}

const stampText = fc.oneof(
  fc.constantFrom('09:00:00', '09:00:00.1', '09:00:00.10', '09:00:00:100', '09:00:01', '10:00:00Z'),
  fc.string({ unit: 'binary' }).map((text) => `s-${text}`),
);

const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('', '"rules":[]', 'σ', '\u2028', '$&'));
const number = fc.double({ noDefaultInfinity: true, noNaN: true });
const truth = fc.tuple(number, number);
const rule = fc.record({
  id: text,
  text,
  truth,
  contribution: number,
  literals: fc.array(fc.record({ predicate: text, negated: fc.boolean(), truth, value: fc.option(number) }), { maxLength: 3 }),
});

describe('writeForecastAnswer', () => {
  it('equals JSON.stringify of the object, byte for byte', () => {
    const property = fc.property(
      fc.array(stampText, { minLength: 1 }),
      fc.constantFrom(1 as const, null),
      fc.boolean(),
      fc.boolean(),
      fc.array(rule, { maxLength: 3 }),
      (stamps, mark, hasDetail, hasAbove, rules) => {
        const timestamps = [...stamps, 'the future'];
        const detail = { model: { id: 'base', head: '"rules":[]' }, rules, levels: [] } as unknown as ForecastDetail;
        const parts = { ...(hasAbove ? { above: { price: 2, probability: 0.25, reason: null } } : {}), ...(hasDetail ? { detail } : {}) };
        expect(writeForecastAnswer(timestamps, mark, parts)).to.equal(oracle(timestamps, mark, parts));
        expect(writeLastAnswer('the future', mark === null ? 'below_threshold' : null, parts)).to.equal(
          JSON.stringify({
            ...{ timestamp: 'the future', trend_identified: mark, status: mark === null ? 'none' : 'identified' },
            ...{ reason: mark === null ? 'below_threshold' : null, ...parts },
          }),
        );
      },
    );
    fc.assert(property, { numRuns: 300 });
  });

  it('gives equal timestamps one key, in the order of first appearance', () => {
    expect(writeForecastAnswer(['b', 'b', 'a', 'b', 'c'], 1)).to.equal(
      '{"b":{"trend_identified":null},"a":{"trend_identified":null},"c":{"trend_identified":1}}',
    );
  });
});
