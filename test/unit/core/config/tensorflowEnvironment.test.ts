import { expect } from 'chai';
import { tensorflowEnvironment } from '../../../../src/core/config/settings.ts';

describe('tensorflowEnvironment', () => {
  it('writes the defaults into the environment for TensorFlow, and keeps existing values', () => {
    const env: NodeJS.ProcessEnv = { TF_NUM_INTRAOP_THREADS: '4', OTHER: 'kept' };
    expect(tensorflowEnvironment(env)).to.equal(env);
    expect(env).to.deep.equal({
      OTHER: 'kept',
      TF_NUM_INTRAOP_THREADS: '4',
      TF_NUM_INTEROP_THREADS: '1',
      TF_ENABLE_ONEDNN_OPTS: '0',
      TF_CPU_ALLOCATOR_USE_BFC: 'true',
      TF_FORCE_GPU_ALLOW_GROWTH: 'true',
      NVIDIA_TF32_OVERRIDE: '0',
      TF_CPP_MIN_LOG_LEVEL: '2',
    });
  });

  it('refuses a value that TensorFlow would misread, and names the variable', () => {
    expect(() => tensorflowEnvironment({ TF_NUM_INTRAOP_THREADS: 'many' })).to.throw('TF_NUM_INTRAOP_THREADS must be a whole number');
    expect(() => tensorflowEnvironment({ TF_FORCE_GPU_ALLOW_GROWTH: '1' })).to.throw('TF_FORCE_GPU_ALLOW_GROWTH must be true or false');
  });
});
