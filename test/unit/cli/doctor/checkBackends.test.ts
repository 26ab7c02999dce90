import { expect } from 'chai';
import { checksOfBackends, checkGpu } from '../../../../src/cli/doctor/checkRuntime.ts';
import type { BackendReport } from '../../../../src/engine/runtime/openRuntime.ts';

const works = (backend: BackendReport['backend']): BackendReport => ({
  backend,
  report: { works: true, description: `${backend}: fine`, forwardMs: 0.1234 },
});
const absent = (backend: BackendReport['backend']): BackendReport => ({
  backend,
  report: { works: 'absent', reason: 'its libraries are not set up', remedy: 'run npm run setup:native' },
});
const broken = (backend: BackendReport['backend']): BackendReport => ({
  backend,
  report: { works: false, reason: 'its probe ended with SIGSEGV' },
});

describe('checksOfBackends', () => {
  const results = (wanted: Parameters<typeof checksOfBackends>[0], reports: readonly BackendReport[]): string[] =>
    checksOfBackends(wanted, reports).map(({ verdict }) => verdict);

  it('shows device and time of those that work', () => {
    expect(checksOfBackends('auto', [works('wasm')])).to.deep.equal([
      { name: 'wasm', verdict: 'works', detail: 'wasm: fine; an LSTM forward pass in 0.12 ms (B=1 T=96 F=12 H=48, median)' },
    ]);
  });

  it('says of an absent one what brings it, and of a broken one why, without failing the machine', () => {
    const [cuda, native] = checksOfBackends('auto', [broken('cuda'), absent('native'), works('wasm')]);
    expect(cuda).to.deep.equal({ name: 'cuda', verdict: 'warns', detail: 'its probe ended with SIGSEGV', remedy: undefined });
    expect(native).to.deep.equal({
      name: 'native',
      verdict: 'absent',
      detail: 'its libraries are not set up',
      remedy: 'Run npm run setup:native',
    });
  });

  it('fails the machine where the wanted one cannot be used, and where none can', () => {
    expect(results('native', [absent('cuda'), absent('native'), works('wasm')])).to.deep.equal(['absent', 'fails', 'works']);
    expect(results('cuda', [broken('cuda'), works('wasm')])).to.deep.equal(['fails', 'works']);
    expect(results('auto', [absent('cuda'), broken('wasm')])).to.deep.equal(['fails', 'fails']);
  });
});

describe('checkGpu', () => {
  it('says that there is no driver where there is no nvidia-smi', async () => {
    const { verdict, detail } = await checkGpu('no-such-program');
    expect([verdict, detail]).to.deep.equal(['absent', 'no NVIDIA driver is installed (there is no nvidia-smi)']);
  });

  it('shows name, memory and driver of each GPU', async () => {
    const line = 'NVIDIA H100 80GB HBM3, 81559, 80917, 570.86.15';
    const { verdict, detail } = await checkGpu(process.execPath, ['-e', `console.log(${JSON.stringify(`${line}\n${line}`)})`]);
    const text = 'NVIDIA H100 80GB HBM3, 80917 MiB free of 81559 MiB, driver 570.86.15';
    expect([verdict, detail]).to.deep.equal(['works', `${text}; ${text}`]);
  });

  it('passes on what a driver that shows none says', async () => {
    const { verdict, detail } = await checkGpu(process.execPath, ['-e', 'console.log("No devices were found"); process.exit(6)']);
    expect([verdict, detail]).to.deep.equal(['absent', 'nvidia-smi shows no GPU: No devices were found']);
  });
});
