import { expect } from 'chai';
import { readSettings } from '../../../../src/core/config/settings.ts';
import { openForecaster } from '../../../../src/service/app/openForecaster.ts';
import { openLocalForecaster } from '../../../../src/service/app/openLocalForecaster.ts';
import { syntheticTicks } from '../../../../src/ticks/syntheticTicks.ts';

describe('openLocalForecaster', () => {
  const requests = [1, 2, 3].flatMap((seed) =>
    [10, 60, 3600].map((horizonS) => {
      const series = syntheticTicks({ seed, count: 500 });
      return { series, futureUs: series.timesUs.at(-1)! + horizonS * 1_000_000 };
    }),
  );
  const options = [{}, { minMoveBps: 3 }, { minProbability: 0.2 }];

  it('gives the answers of the service to the last bit, on the kernel alone', async () => {
    const settings = readSettings({ RUNTIME_BACKEND: 'wasm' });
    const [local, service] = [await openLocalForecaster(settings), await openForecaster(settings, { batches: [1] })];
    const answers = async ({ forecaster }: Pick<typeof local, 'forecaster'>): Promise<unknown[]> => {
      const made = [];
      for (const request of requests)
        for (const option of options) {
          const { mark, reason, summary, detail } = await forecaster.forecast(request, { ...option, detail: true });
          made.push({ mark, reason, summary, ...detail, timings_ms: null });
        }
      return made;
    };
    expect(local).to.not.have.property('runtime');
    expect(local.models.defaultId).to.equal(service.models.defaultId);
    expect(await answers(local)).to.deep.equal(await answers(service));
    await local.close();
    await service.close();
  });

  it('opens another backend where the machine cannot run the kernel', async () => {
    const { instantiate } = WebAssembly;
    WebAssembly.instantiate = (() => Promise.reject(new WebAssembly.CompileError('no SIMD'))) as typeof instantiate;
    try {
      const open = await openLocalForecaster(readSettings({ RUNTIME_BACKEND: 'auto' }));
      expect(open).to.have.nested.property('runtime.backend').that.is.not.equal('wasm');
      await open.close();
    } finally {
      WebAssembly.instantiate = instantiate;
    }
  });

  it('opens the backend that RUNTIME_BACKEND names, where that is another one', async () => {
    const open = await openLocalForecaster(readSettings({ RUNTIME_BACKEND: 'cpu' }));
    expect(open).to.have.nested.property('runtime.backend', 'cpu');
    await open.close();
  });
});
