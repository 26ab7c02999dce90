import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import { packageRoot } from '../../../src/core/packageRoot.ts';
import { openRuntime } from '../../../src/runtime/openRuntime.ts';

describe('openRuntime', () => {
  it('opens the backend asked for and makes it the default', async () => {
    for (const name of ['cpu', 'wasm'] as const) {
      const runtime = await openRuntime(name);
      expect([runtime.backend, runtime.tf.getBackend()]).to.deep.equal([name, name]);
      expect(runtime.refused).to.deep.equal([]);
    }
  });

  it('takes wasm by itself where SIMD is there', async () => {
    const runtime = await openRuntime('auto');
    expect(runtime.backend).to.equal('wasm');
    expect(runtime.description).to.match(/^wasm: SIMD, one thread, TensorFlow\.js 4\./);
  });

  it('adds no handler of uncaught errors to the process', async () => {
    const count = () => [process.listenerCount('uncaughtException'), process.listenerCount('unhandledRejection')];
    const before = count();
    await openRuntime('wasm');
    expect(count()).to.deep.equal(before);
  });

  /** Runs in a process of its own, with and without WebAssembly SIMD; prints nothing but the result. */
  const openElsewhere = (want: string, prelude: string) =>
    spawnSync(
      process.execPath,
      [
        '--import=tsx',
        '--input-type=module',
        '--eval',
        // The loader of TypeScript is WebAssembly itself: it comes first.
        `const { openRuntime } = await import('./src/runtime/openRuntime.ts');
         ${prelude}
         const result = await openRuntime('${want}').then(
           ({ backend, refused, tf }) => ({ backend, refused, sum: tf.sum(tf.tensor([1, 2])).dataSync()[0] }),
           (error) => ({ code: error.code, message: error.message }));
         process.stdout.write(JSON.stringify(result));`,
      ],
      { cwd: packageRoot(), encoding: 'utf8', timeout: 300_000 },
    );
  const NO_SIMD = `WebAssembly.instantiate = () => Promise.reject(new WebAssembly.CompileError('Wasm SIMD unsupported'));`;

  it('falls to cpu without SIMD, says why, and prints nothing', function () {
    this.timeout(300_000);
    const { stdout, stderr } = openElsewhere('auto', NO_SIMD);
    expect(JSON.parse(stdout)).to.deep.equal({
      backend: 'cpu',
      refused: [{ candidate: 'wasm', reason: 'Wasm SIMD unsupported' }],
      sum: 3,
    });
    expect(stderr).to.equal('');
  });

  it('refuses wasm without SIMD when it is asked for by name', function () {
    this.timeout(300_000);
    const { stdout } = openElsewhere('wasm', NO_SIMD);
    expect(JSON.parse(stdout)).to.deep.equal({
      code: 'runtime.refused',
      message: 'No backend can be used (wasm: Wasm SIMD unsupported).',
    });
  });
});
