import { expect } from 'chai';
import { readManifest } from '../../../../src/engine/model/manifestSchema.ts';
import { smallManifest } from '../../../support/smallModel.ts';

const HASH = '0'.repeat(64);
const FILES = { 'model.json': HASH, 'weights.bin': HASH, 'golden.json': HASH, 'card.md': HASH };
const BANDS = { upper: [-0.3, 0.3, 0.9], decision: [0.7, 0.4, null] };

describe('versions with a decision threshold for each band', () => {
  for (const [name, bands, cut] of [
    ['the band that contains the default threshold', BANDS, 0.4],
    ['the last band if all end below it', { upper: [-2, -1], decision: [0.5, 0.3] }, 0.3],
    ['none if the head abstains there', { upper: [-0.3, 0.3], decision: [0.5, null] }, null],
  ] as const) {
    it(`are read with the value of ${name}`, () => {
      const { heads, ...rest } = smallManifest('old');
      const stored = { ...rest, format: 'tickmark-model/3', heads: heads.map(({ cut: _, ...head }) => ({ ...head, bands })), files: FILES };
      expect(readManifest(stored)).to.deep.equal({ ...rest, files: FILES, heads: heads.map((head) => ({ ...head, cut })) });
    });
  }

  it('are refused with both forms, or with neither', () => {
    const manifest = { ...smallManifest('a'), files: FILES };
    const both = manifest.heads.map((head) => ({ ...head, bands: BANDS }));
    const neither = manifest.heads.map(({ cut: _, ...head }) => head);
    for (const heads of [both, neither])
      expect(readManifest({ ...manifest, heads })).to.deep.equal({
        fault: 'head h30s must have a cut, or bands as versions from before.',
      });
  });
});
