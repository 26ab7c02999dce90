import { execFileSync } from 'node:child_process';
import { expect } from 'chai';
import { seriesBytes } from '../../../../src/engine/live/seriesBytes.ts';

describe('seriesBytes', () => {
  for (const [kind, plans] of [
    ['ticks', 1],
    ['ticks', 8],
    ['bars', 1],
    ['bars', 8],
  ] as const)
    it(`is what a full series of ${kind} with ${plans} forecasts needs`, () => {
      const args = ['--expose-gc', '--import', 'tsx', 'test/support/measureSeries.ts', kind, `${plans}`];
      const measured = Number(execFileSync(process.execPath, args, { encoding: 'utf8' }));
      const all = Array.from({ length: plans }, () => ({ ticks: undefined }));
      expect(seriesBytes(all, kind === 'bars')).to.be.within(measured, 1.25 * measured);
    });
});
