import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import { packageRoot } from '../../../src/core/packageRoot.ts';
import type { ServiceError } from '../../../src/core/ServiceError.ts';
import type { BackendCandidate } from '../../../src/engine/runtime/Runtime.ts';
import { BACKENDS, openRuntime, type OpenOptions } from '../../../src/engine/runtime/openRuntime.ts';

describe('openRuntime', () => {
  const candidate = (name: BackendCandidate['name'], over: Partial<BackendCandidate> = {}): BackendCandidate => ({
    name,
    isNative: true,
    missing: () => undefined,
    open: () => Promise.resolve({ description: name }),
    ...over,
  });

  it('opens the requested backend and makes it the default', async () => {
    for (const name of ['cpu', 'wasm'] as const) {
      const runtime = await openRuntime(name);
      expect([runtime.backend, runtime.tf.getBackend()]).to.deep.equal([name, name]);
      expect(runtime.refused).to.deep.equal([]);
    }
  });

  it('skips a backend that is not installed, names the command that installs it, and uses wasm', async () => {
    const notSetUp = ['cuda', 'native'].map((name) =>
      candidate(name as 'cuda', { missing: () => ({ reason: 'no libraries', remedy: 'run it' }) }),
    );
    const runtime = await openRuntime('auto', { ladder: [...notSetUp, ...BACKENDS.slice(3)] });
    expect(runtime.backend).to.equal('wasm');
    expect(runtime.description).to.match(/^wasm: SIMD, one thread, TensorFlow\.js 4\./);
    expect(runtime.refused).to.deep.equal(['cuda', 'native'].map((name) => ({ candidate: name, reason: 'no libraries; run it' })));
  });

  describe('native candidates', () => {
    const open = (want: 'auto' | 'cuda' | 'native', ladder: readonly BackendCandidate[], probe: OpenOptions['probe']) =>
      openRuntime(want, { ladder, ...(probe === undefined ? {} : { probe }) }).then(
        ({ backend, refused }) => ({ backend, refused }),
        (error: ServiceError) => ({ code: error.code, message: error.message }),
      );
    const works = { works: true, description: 'fine', forwardMs: 1 } as const;

    it('are probed in a child process before this process opens them', async () => {
      const steps: string[] = [];
      const native = candidate('native', {
        open: async () => {
          steps.push('open');
          return { description: 'native' };
        },
      });
      const probe = async (name: string) => {
        steps.push(`probe ${name}`);
        return works;
      };
      expect(await open('auto', [native], probe)).to.deep.equal({ backend: 'native', refused: [] });
      expect(steps).to.deep.equal(['probe native', 'open']);
    });

    it('that fail the probe are never opened; the next one is used, with the reason', async () => {
      let opened = false;
      const cuda = candidate('cuda', {
        open: async () => {
          opened = true;
          return { description: '' };
        },
      });
      const probe = async (name: string) => (name === 'cuda' ? ({ works: false, reason: 'its probe ended with SIGSEGV' } as const) : works);
      expect(await open('auto', [cuda, candidate('native')], probe)).to.deep.equal({
        backend: 'native',
        refused: [{ candidate: 'cuda', reason: 'its probe ended with SIGSEGV' }],
      });
      expect(opened).to.equal(false);
    });

    it('that are requested by name and fail stop the start with the reason', async () => {
      const probe = async () => ({ works: false, reason: 'FusedLSTM computes a wrong output' }) as const;
      expect(await open('native', [candidate('native'), BACKENDS.at(-1)!], probe)).to.deep.equal({
        code: 'runtime.refused',
        message: 'No backend can be used (native: FusedLSTM computes a wrong output).',
      });
    });
  });

  it('adds no handler for uncaught errors to the process', async () => {
    const count = () => [process.listenerCount('uncaughtException'), process.listenerCount('unhandledRejection')];
    const before = count();
    await openRuntime('wasm');
    expect(count()).to.deep.equal(before);
  });

  /** Runs in a child process, with and without WebAssembly SIMD; prints only the result. */
  const openElsewhere = (want: string, prelude: string) =>
    spawnSync(
      process.execPath,
      [
        '--import=tsx',
        '--input-type=module',
        '--eval',
        // First, because the TypeScript loader uses WebAssembly itself.
        `const { BACKENDS, openRuntime } = await import('./src/engine/runtime/openRuntime.ts');
         ${prelude}
         const result = await openRuntime('${want}', { ladder: BACKENDS.slice(3) }).then(
           ({ backend, refused, tf }) => ({ backend, refused, sum: tf.sum(tf.tensor([1, 2])).dataSync()[0] }),
           (error) => ({ code: error.code, message: error.message }));
         process.stdout.write(JSON.stringify(result));`,
      ],
      { cwd: packageRoot(), encoding: 'utf8', timeout: 300_000 },
    );
  const NO_SIMD = `WebAssembly.instantiate = () => Promise.reject(new WebAssembly.CompileError('Wasm SIMD unsupported'));`;

  it('falls back to cpu without SIMD, gives the reason, and prints nothing', function () {
    this.timeout(300_000);
    const { stdout, stderr } = openElsewhere('auto', NO_SIMD);
    expect(JSON.parse(stdout)).to.deep.equal({
      backend: 'cpu',
      refused: [{ candidate: 'wasm', reason: 'Wasm SIMD unsupported' }],
      sum: 3,
    });
    expect(stderr).to.equal('');
  });

  it('refuses wasm without SIMD if it is requested by name', function () {
    this.timeout(300_000);
    const { stdout } = openElsewhere('wasm', NO_SIMD);
    expect(JSON.parse(stdout)).to.deep.equal({
      code: 'runtime.refused',
      message: 'No backend can be used (wasm: Wasm SIMD unsupported).',
    });
  });
});
