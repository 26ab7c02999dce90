import { expect } from 'chai';
import { fillRuleText, parseRuleText } from '../../../src/rules/ruleText.ts';

describe('fillRuleText', () => {
  const filled = (touches: number): string => {
    const text = parseRuleText('support at {support_near.price}, touched {support_near.touches} times, {support_near} times as far', [
      'support_near',
    ]);
    if (typeof text === 'string') throw new Error(text);
    return fillRuleText(text, () => ({ lower: 1, upper: 1, value: 1, numbers: { price: 1.234567891, touches } }));
  };

  it('counts one touch as one time, and leaves factors alone', () => {
    expect(filled(1)).to.equal('support at 1.2345679, touched 1 time, 1 times as far');
    expect(filled(3)).to.equal('support at 1.2345679, touched 3 times, 1 times as far');
  });
});
