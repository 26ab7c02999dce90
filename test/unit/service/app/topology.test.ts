import { expect } from 'chai';
import { countWorkers, hasInferenceProcess, mostConnections, readHostResources } from '../../../../src/service/app/topology.ts';

const GIB = 1024 ** 3;
const machine = { processors: 4, memoryBytes: 16 * GIB, hasCuda: false };
const settings = { workers: 'auto', inferenceProcess: 'auto', runtimeBackend: 'auto' } as const;

describe('topology', () => {
  it('runs WebAssembly in the process that receives the request, native code in a child process', () => {
    const isChild = (runtimeBackend: 'auto' | 'cuda' | 'tensorflow-cuda' | 'native' | 'wasm' | 'cpu', hasCuda: boolean) =>
      hasInferenceProcess({ inferenceProcess: 'auto', runtimeBackend }, { ...machine, hasCuda });
    expect([isChild('auto', false), isChild('wasm', true), isChild('cpu', true)]).to.deep.equal([false, false, false]);
    expect([isChild('auto', true), isChild('native', false), isChild('tensorflow-cuda', false)]).to.deep.equal([true, true, true]);
    for (const inferenceProcess of [true, false])
      expect(hasInferenceProcess({ inferenceProcess, runtimeBackend: 'wasm' }, machine)).to.equal(inferenceProcess);
  });

  it('starts one worker for each processor, fewer where memory is short, one with an inference process', () => {
    const count = (over: Partial<typeof machine>) => countWorkers(settings, { ...machine, ...over });
    expect([count({}), count({ processors: 64 }), count({ memoryBytes: GIB }), count({ memoryBytes: GIB / 4 })]).to.deep.equal([
      4, 16, 2, 1,
    ]);
    expect(count({ hasCuda: true })).to.equal(1);
    expect(countWorkers({ ...settings, workers: 3 }, machine)).to.equal(3);
  });

  it('reads the machine', () => {
    const { processors, memoryBytes } = readHostResources();
    expect(processors).to.be.at.least(1);
    expect(memoryBytes).to.be.above(64 * 1024 * 1024);
  });

  it('leaves 128 open files for the rest of the service, or half of a small limit', () => {
    expect([Infinity, 20_000, 1024, 256, 200, 64].map(mostConnections)).to.deep.equal([Infinity, 19_872, 896, 128, 100, 32]);
  });
});
