import { expect } from 'chai';
import { WindowSlot } from '../../../../src/engine/forecast/WindowScorer.ts';
import { tickRequest } from '../../../support/fakeForecaster.ts';

describe('WindowSlot', () => {
  it('returns the context of a window at its default threshold, whatever was written before', () => {
    const [one, other] = [tickRequest({ seed: 1 }), tickRequest({ seed: 2 })];
    const wanted = [...new WindowSlot().ownContext(one)!];
    const slot = new WindowSlot();
    const measures = slot.read(one);
    if (typeof measures === 'string') throw new Error(measures);
    slot.read(other);
    // The same number, written for another window.
    slot.write(measures.thetaDefault);
    expect([...slot.ownContext(one)!]).to.deep.equal(wanted);
    slot.write(2 * measures.thetaDefault);
    expect([...slot.ownContext(one)!]).to.deep.equal(wanted);
    expect(slot.ownContext(tickRequest({ count: 20 }))).to.equal(null);
  });
});
