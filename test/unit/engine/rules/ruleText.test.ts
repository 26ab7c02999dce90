import { expect } from 'chai';
import { findPredicate } from '../../../../src/engine/rules/predicates.ts';
import { fillRuleText, parseRuleText } from '../../../../src/engine/rules/ruleText.ts';

const known = (...names: string[]) => names.map((name) => findPredicate(name)!);

describe('fillRuleText', () => {
  const filled = (touches: number): string => {
    const text = parseRuleText('support at {support_near.price}, touched {support_near.touches} times, {support_near} times as far', [
      ...known('support_near'),
    ]);
    if (typeof text === 'string') throw new Error(text);
    return fillRuleText(text, () => ({ lower: 1, upper: 1, value: 1, numbers: { price: 1.234567891, touches } }));
  };

  it('counts one touch as one time, and leaves factors alone', () => {
    expect(filled(1)).to.equal('support at 1.2345679, touched 1 time, 1 times as far');
    expect(filled(3)).to.equal('support at 1.2345679, touched 3 times, 1 times as far');
  });
});

describe('parseRuleText', () => {
  for (const [text, names, fault] of [
    ['{stale}', ['support_near', 'threshold_far'], '{stale} does not name a predicate of this rule (support_near, threshold_far)'],
    ['{support_near.prise}', ['support_near'], '{support_near.prise}: support_near has price, touches'],
    ['{stale.price}', ['stale'], '{stale.price}: stale has seconds'],
    ['{threshold_far.price}', ['threshold_far'], '{threshold_far.price}: threshold_far has no further numbers'],
    ['{stale', ['stale'], 'a brace outside of a placeholder; write {predicate} or {predicate.number}'],
    ['{stale} }', ['stale'], 'a brace outside of a placeholder; write {predicate} or {predicate.number}'],
  ] as const)
    it(`refuses ${text}`, () => expect(parseRuleText(text, known(...names))).to.equal(fault));
});

describe('fillRuleText, number by number', () => {
  const fill = (source: string, value: number | null, numbers?: Record<string, number>): string => {
    const text = parseRuleText(source, known('support_near'));
    if (typeof text === 'string') throw new Error(text);
    return fillRuleText(text, () => ({ lower: 0, upper: 1, value, ...(numbers === undefined ? {} : { numbers }) }));
  };

  it('writes a price with the digits of the market and other numbers with three', () => {
    expect(fill('at {support_near.price}, {support_near}', 1.23456, { price: 1234.56789012 })).to.equal('at 1234.5679, 1.23');
  });

  it('writes "unknown" for a number that cannot be computed', () => {
    for (const value of [null, NaN, Infinity]) expect(fill('x {support_near}', value)).to.equal('x unknown');
    for (const numbers of [undefined, {}, { price: NaN }] as (Record<string, number> | undefined)[])
      expect(fill('x {support_near.price}', 1, numbers)).to.equal('x unknown');
  });

  it('says "time" only right after one touch', () => {
    const once = { touches: 1, price: 2 };
    expect(fill('{support_near.touches} and times, {support_near.price} times', 1, once)).to.equal('1 and times, 2 times');
    expect(fill('{support_near.touches} times, times', 1, once)).to.equal('1 time, times');
  });
});
