import { expect } from 'chai';
import { markText } from '../../../../src/service/live/markText.ts';

const MARK = { lastUs: 0, futureUs: 60e6, lastPrice: 1.085, probability: 0.414, minMoveBps: 2.5, ownThreshold: true, costBps: null }; // prettier-ignore
const UNTIL = 'within 1 min (by 1970-01-01 00:01:00 UTC)';
const CHANCE = `below 1.084729 or above 1.085271, ${UNTIL} has a probability of 41 %.`;
const OWN = `A move beyond your cost of 2.5 bps, ${CHANCE}`;
const DEFAULT = `An unusually large move for this market, of more than 2.5 bps, ${CHANCE}`;
const BELOW = ' That is less than the spread of 13.6 bps: such a move does not pay.';

describe('markText', () => {
  const cases: [why: string, given: object, text: string][] = [
    ['an own threshold without a known cost', {}, OWN],
    ['the default threshold without a known cost', { ownThreshold: false }, DEFAULT],
    ['an own threshold at the cost', { costBps: 2.5 }, OWN],
    ['an own threshold below the cost', { costBps: 13.6 }, OWN + BELOW],
    ['the default threshold below the cost', { ownThreshold: false, costBps: 13.6 }, DEFAULT + BELOW],
  ];
  for (const [why, given, text] of cases) it(`says it of ${why}`, () => expect(markText({ ...MARK, ...given })).to.equal(text));

  it('says it of a price that is reached', () => {
    const text = `The price 1.09 is reached ${UNTIL} with a probability of 34 %.`;
    expect(markText(MARK, { price: 1.09, probability: 0.338 })).to.equal(text);
  });
});
