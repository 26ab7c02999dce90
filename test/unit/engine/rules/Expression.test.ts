import { expect } from 'chai';
import fc from 'fast-check';
import {
  expressionText,
  expressionWords,
  literalsOf,
  parseExpression,
  parseLiterals,
  truthOf,
  type Expression,
} from '../../../../src/engine/rules/Expression.ts';
import type { Predicate } from '../../../../src/engine/rules/Predicate.ts';
import { PREDICATES } from '../../../../src/engine/rules/predicates.ts';

const named = (name: string): Predicate => ({
  name,
  about: '',
  unit: '',
  evaluate: () => ({ lower: 0, upper: 1, value: null }),
});
const [a, b, c] = ['a', 'b', 'c'].map((name): Expression => ({ kind: 'literal', predicate: named(name) })) as [
  Expression,
  Expression,
  Expression,
];
const parts = [a, b, c];

/** Truth with given intervals for a, b and c. */
function truth(expression: Expression, ...intervals: (readonly [number, number])[]): readonly [number, number] {
  return truthOf(expression, ({ name }) => {
    const [lower, upper] = intervals['abc'.indexOf(name)] ?? [0, 1];
    return { lower, upper, value: 0 };
  });
}
const near = (found: readonly [number, number], lower: number, upper: number): void => {
  expect(found[0]).to.be.closeTo(lower, 1e-12);
  expect(found[1]).to.be.closeTo(upper, 1e-12);
};

describe('an expression', () => {
  it('multiplies the truths of "all", and the falsehoods of "any"', () => {
    near(truth({ kind: 'all', of: parts }, [0.5, 0.5], [0.4, 0.8], [1, 1]), 0.2, 0.4);
    near(truth({ kind: 'any', of: parts }, [0.5, 0.5], [0.4, 0.8], [0, 0]), 0.7, 0.9);
    near(truth({ kind: 'all', of: parts }, [0, 1], [1, 1], [1, 1]), 0, 1);
    near(truth({ kind: 'any', of: parts }, [1, 1], [0, 1], [0, 1]), 1, 1);
  });

  it('mirrors the interval of a negation', () => {
    near(truth({ kind: 'not', of: a }, [0.2, 0.7]), 0.3, 0.8);
    near(truth({ kind: 'all', of: [{ kind: 'not', of: { kind: 'any', of: [a, b] } }, c] }, [0.5, 0.5], [0.2, 0.2], [0.5, 1]), 0.2, 0.4);
  });

  it('counts: at least one equals "any", at least all equals "all", two of three equals the sum of the cases', () => {
    const intervals = [
      [0.1, 0.3],
      [0.5, 0.6],
      [0.8, 0.8],
    ] as const;
    const atLeast = (count: number): readonly [number, number] => truth({ kind: 'at_least', count, of: parts }, ...intervals);
    near(atLeast(1), ...truth({ kind: 'any', of: parts }, ...intervals));
    near(atLeast(3), ...truth({ kind: 'all', of: parts }, ...intervals));
    const two = (x: number, y: number, z: number): number => x * y * z + x * y * (1 - z) + x * (1 - y) * z + (1 - x) * y * z;
    near(atLeast(2), two(0.1, 0.5, 0.8), two(0.3, 0.6, 0.8));
  });

  it('keeps a single part bit-exact', () => {
    for (const kind of ['all', 'any'] as const) expect(truth({ kind, of: [a] }, [0.1, 0.7])).to.deep.equal([0.1, 0.7]);
    expect(truth({ kind: 'at_least', count: 1, of: [a] }, [0.1, 0.7])).to.deep.equal([0.1, 0.7]);
  });

  it('keeps bounds ordered and within 0 and 1, grows with a positive part, and narrows if a part becomes known', () => {
    const expressionArb = fc.letrec<{ node: Expression }>((tie) => ({
      node: fc.oneof(
        { maxDepth: 3, depthIdentifier: 'join' },
        fc.constantFrom(...parts),
        fc
          .constantFrom('all' as const, 'any' as const)
          .chain((kind) =>
            fc.array(tie('node'), { minLength: 1, maxLength: 3, depthIdentifier: 'join' }).map((of): Expression => ({ kind, of })),
          ),
        fc
          .array(tie('node'), { minLength: 1, maxLength: 4, depthIdentifier: 'join' })
          .chain((of) => fc.integer({ min: 1, max: of.length }).map((count): Expression => ({ kind: 'at_least', count, of }))),
        tie('node').map((of): Expression => ({ kind: 'not', of })),
      ),
    })).node;
    const unit = fc.double({ min: 0, max: 1, noNaN: true });
    const interval = fc.tuple(unit, unit).map(([x, y]) => [Math.min(x, y), Math.max(x, y)] as const);
    fc.assert(
      fc.property(expressionArb, interval, interval, interval, unit, (expression, of, b1, c1, point) => {
        const [lower, upper] = truth(expression, of, b1, c1);
        expect(lower).to.be.within(0, upper);
        expect(upper).to.be.at.most(1);
        // Any value inside the interval of a part lies inside the interval of the whole.
        const inside = of[0] + (of[1] - of[0]) * point;
        const [low, high] = truth(expression, [inside, inside], b1, c1);
        expect(low).to.be.at.least(lower - 1e-12);
        expect(high).to.be.at.most(upper + 1e-12);
        const signs = new Set(
          literalsOf(expression)
            .filter(({ predicate }) => predicate.name === 'a')
            .map(({ negated }) => negated),
        );
        if (signs.size === 1 && !signs.has(true)) {
          const [more, most] = truth(expression, [Math.min(1, of[0] + 0.1), Math.min(1, of[1] + 0.1)], b1, c1);
          expect(more).to.be.at.least(lower - 1e-12);
          expect(most).to.be.at.least(upper - 1e-12);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('lists its literals with their sign: negated by an odd number of negations', () => {
    const expression: Expression = { kind: 'not', of: { kind: 'all', of: [a, { kind: 'not', of: b }] } };
    expect(literalsOf(expression).map(({ predicate, negated }) => [predicate.name, negated])).to.deep.equal([
      ['a', true],
      ['b', false],
    ]);
  });

  it('is written as words, with brackets only where they are needed, and as one text for each meaning', () => {
    const all = (...of: Expression[]): Expression => ({ kind: 'all', of });
    const any = (...of: Expression[]): Expression => ({ kind: 'any', of });
    const not = (of: Expression): Expression => ({ kind: 'not', of });
    const cases: [expression: Expression, words: string, text: string][] = [
      [a, 'a', 'a'],
      [not(a), 'not a', 'not(a)'],
      [all(a, not(b)), 'a and not b', 'all(a,not(b))'],
      [any(a, b, c), 'a or b or c', 'any(a,b,c)'],
      [not(any(a, b)), 'not (a or b)', 'not(any(a,b))'],
      [all(a, any(b, c)), 'a and (b or c)', 'all(a,any(b,c))'],
      [any(all(a, b), c), '(a and b) or c', 'any(all(a,b),c)'],
      [all(any(a), b), 'a and b', 'all(any(a),b)'],
      [not({ kind: 'at_least', count: 2, of: [a, any(b, c)] }), 'not at least 2 of (a, b or c)', 'not(at_least_2(a,any(b,c)))'],
    ];
    for (const [expression, words, text] of cases) expect([expressionWords(expression), expressionText(expression)]).to.deep.equal([words, text]); // prettier-ignore
  });

  it('is parsed to the same parts in any order: sorted, joins of one part and double negations left out', () => {
    const [x, y, z] = ['stale', 'imbalance', 'acceleration'].map((predicate) => ({ predicate })) as [{ predicate: string }, { predicate: string }, { predicate: string }]; // prettier-ignore
    const textOf = (json: Parameters<typeof parseExpression>[0]): string => {
      const parsed = parseExpression(json, '/when');
      return 'pointer' in parsed ? `${parsed.pointer}: ${parsed.what}` : expressionText(parsed);
    };
    expect(textOf({ all: [x, y] })).to.equal('all(imbalance,stale)');
    expect(textOf({ any: [y, { not: x }] })).to.equal(textOf({ any: [{ not: x }, y] }));
    expect(textOf({ any: [{ not: x }, y, { all: [x] }] })).to.match(/named twice/);
    expect(textOf({ not: { not: x } })).to.equal('stale');
    expect(textOf({ not: { not: { not: x } } })).to.equal('not(stale)');
    expect(textOf({ at_least: 1, of: [x] })).to.equal('stale');
    expect(textOf({ at_least: 2, of: [x] })).to.equal('/when/at_least: 2 of 1 parts');
    expect(textOf({ at_least: 2, of: [z, x] })).to.equal('at_least_2(acceleration,stale)');
    expect(textOf({ at_least: 2, of: [x, y, { not: z }] })).to.equal(textOf({ at_least: 2, of: [{ not: z }, y, x] }));
    expect(textOf({ at_least: 1, of: [x, { all: [y, { predicate: 'nothing' }] }] })).to.equal('/when/of/1/all/1/predicate: unknown predicate "nothing"'); // prettier-ignore
    const literals = parseLiterals([{ predicate: 'stale', not: true }, y], '/literals');
    expect('pointer' in literals ? '' : expressionText(literals)).to.equal('all(imbalance,not(stale))');
  });

  it('has at most 6 levels and 16 predicates', () => {
    const deep = (levels: number): Parameters<typeof parseExpression>[0] => (levels === 1 ? { predicate: 'stale' } : { all: [deep(levels - 1)] }); // prettier-ignore
    const names = PREDICATES.slice(0, 17).map(({ name }) => ({ predicate: name }));
    const ways = [{ any: [deep(5)] }, { any: [deep(6)] }, { at_least: 1, of: [deep(6)] }, { any: names.slice(0, 16) }, { any: names }];
    expect(ways.map((json) => 'pointer' in parseExpression(json, ''))).to.deep.equal([false, true, true, false, true]);
    expect(parseExpression({ any: names }, '/when')).to.deep.include({ pointer: '/when', what: '17 predicates, more than 16' });
  });
});
