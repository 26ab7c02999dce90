import { expect } from 'chai';
import { explainProbeError } from '../../../../src/engine/runtime/probeInChild.ts';

describe('explainProbeError', () => {
  const cases: [said: string, means: RegExp][] = [
    ['/x/libtensorflow.so: file too short', /^a library or the addon is damaged.*setup:native.*file too short/],
    ['libtensorflow.so.2: cannot open shared object file: No such file or directory', /^a library or the addon is damaged/],
    ['/x/tfjs_binding.node: undefined symbol: TFE_NewOp', /^a library or the addon is damaged/],
    [
      'The module was compiled against a different Node.js version using\nNODE_MODULE_VERSION 93.',
      /^the addon was built for another Node\.js/,
    ],
    ['OOM when allocating tensor with shape[64,96]', /^the device has too little free memory/],
    ['CUDA driver version is insufficient for CUDA runtime version', /^the NVIDIA driver does not fit/],
    ['FusedLSTM computes a wrong output: 1 at 0, expected 2', /^FusedLSTM computes a wrong output: 1 at 0, expected 2$/],
  ];
  it('explains a message of a loader or TensorFlow in one line', () => {
    for (const [said, means] of cases) {
      const text = explainProbeError(new Error(`${said}\n    at native code\n`));
      expect(text).to.match(means);
      expect(text).to.not.include('\n');
    }
  });

  it('cuts long messages and accepts any thrown value', () => {
    expect(explainProbeError(new Error('x'.repeat(5000))).length).to.equal(300);
    expect(explainProbeError('text')).to.equal('text');
    expect(explainProbeError(new Error(''))).to.equal('an error without a message');
  });
});
