import { expect } from 'chai';
import { probeInChild } from '../../../src/engine/runtime/probeInChild.ts';

describe('probeInChild', () => {
  const main = new URL('../../support/crashingProbe.ts', import.meta.url);

  it('opens, compares and times a backend that works', async () => {
    const report = await probeInChild('wasm');
    if (!report.works) throw new Error(report.reason);
    expect(report.description).to.match(/^wasm: SIMD/);
    expect(report.forwardMs).to.be.above(0);
  });

  it('reports why a backend cannot be opened', async () => {
    const report = await probeInChild('nonsense');
    expect(report).to.deep.equal({ works: false, reason: 'No backend can be used ().' });
  });

  it('survives a crash and shows the last line of its output', async () => {
    expect(await probeInChild('crash', { main })).to.deep.equal({
      works: false,
      reason: 'its probe ended with SIGSEGV (fatal: the library is broken)',
    });
    expect(await probeInChild('exit', { main })).to.deep.equal({
      works: false,
      reason: 'its probe ended with exit code 3 (fatal: the library is broken)',
    });
  });

  it('ends a probe that hangs', async () => {
    expect(await probeInChild('hang', { main, timeLimitMs: 200 })).to.deep.equal({
      works: false,
      reason: 'its probe did not finish within 0.2 s',
    });
  });

  it('reports a probe that cannot start', async () => {
    const { execPath } = process;
    process.execPath = '/no-such-program';
    const report = await probeInChild('wasm');
    process.execPath = execPath;
    expect(report.works ? '' : report.reason).to.include('its probe could not start: spawn /no-such-program ENOENT');
  });

  it('hides the GPU from a CPU probe through the environment', async () => {
    const environment = { PATH: '/nowhere', SHOWN: 'yes' };
    const shows = new URL('../../support/showingProbe.ts', import.meta.url);
    const seen = async (candidate: string) => {
      const report = await probeInChild(candidate, { main: shows, environment });
      return report.works ? '' : report.reason;
    };
    expect(await seen('native')).to.equal('-1 yes');
    expect(await seen('tensorflow-cuda')).to.equal('undefined yes');
  });
});
