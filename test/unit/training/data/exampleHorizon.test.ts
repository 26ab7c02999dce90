import { expect } from 'chai';
import { BASE_SCOPE, exampleHorizon, PRESETS, scopeOfHorizon } from '../../../../training/data/HorizonScope.ts';

describe('the horizon to try a version at', () => {
  it('is the one that was asked for, or one of those that were tested', () => {
    for (const seconds of [10, 60, 300, 1800, 3600]) expect(exampleHorizon(scopeOfHorizon(seconds))).to.equal(`${seconds}s`);
    expect(exampleHorizon(BASE_SCOPE)).to.equal('60s');
    expect([PRESETS.intraday, PRESETS.swing].map(exampleHorizon)).to.deep.equal(['60s', '3600s']);
  });
});
