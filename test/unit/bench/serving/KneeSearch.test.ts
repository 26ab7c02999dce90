import { expect } from 'chai';
import { KneeSearch } from '../../../../bench/serving/KneeSearch.ts';

function search(startRate: number, isMet: (rate: number, probe: number) => boolean): { knee: number; probes: number } {
  const knee = new KneeSearch(startRate);
  let probes = 0;
  for (let rate = knee.next; rate !== undefined; rate = knee.next) knee.learn(isMet(rate, probes++));
  return { knee: knee.knee, probes };
}

describe('KneeSearch', () => {
  for (const startRate of [700, 1000, 1400])
    it(`finds a knee of 1000 from ${startRate}, never above it`, () => {
      const { knee, probes } = search(startRate, (rate) => rate <= 1000);
      expect(knee).to.be.within(970, 1000);
      expect(probes).to.be.at.most(14);
    });

  it('is not misled by one missed probe', () => {
    expect(search(900, (rate, probe) => probe !== 1 && rate <= 1000).knee).to.be.within(970, 1000);
  });

  it('ends with 0 if no rate is met', () => {
    const { knee, probes } = search(1000, () => false);
    expect(knee).to.equal(0);
    expect(probes).to.equal(14);
  });
});
