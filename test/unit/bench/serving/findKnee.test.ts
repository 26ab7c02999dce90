import { expect } from 'chai';
import { searchKnee } from '../../../../bench/serving/findKnee.ts';

async function search(startRate: number, isMet: (rate: number, probe: number) => boolean): Promise<{ knee: number; probes: number }> {
  let probes = 0;
  return { knee: await searchKnee(startRate, async (rate) => isMet(rate, probes++)), probes };
}

describe('searchKnee', () => {
  for (const startRate of [700, 1000, 1400])
    it(`finds a knee of 1000 from ${startRate}, never above it`, async () => {
      const { knee, probes } = await search(startRate, (rate) => rate <= 1000);
      expect(knee).to.be.within(970, 1000);
      expect(probes).to.be.at.most(14);
    });

  it('is not misled by one missed probe', async () => {
    expect((await search(900, (rate, probe) => probe !== 1 && rate <= 1000)).knee).to.be.within(970, 1000);
  });

  it('ends with 0 if no rate is met', async () => {
    expect((await search(1000, () => false)).knee).to.equal(0);
  });
});
