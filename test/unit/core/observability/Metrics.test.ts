import { expect } from 'chai';
import { Metrics, type Gauges, sumMetrics } from '../../../../src/core/observability/Metrics.ts';

const nothing: Gauges = {
  forecastsWaiting: () => 0,
  passwordsWaiting: () => 0,
  droppedLogLines: () => 0,
  outages: () => ({ keys: false, limits: false }),
  clockOffsetMs: () => 0,
  tensors: () => ({ count: 0, bytes: 0 }),
  models: () => [],
  registry: () => null,
  inputDrift: () => null,
  marketDrift: () => null,
};

describe('Metrics', () => {
  it('shows the drift of a column only while something is claimed of it', async () => {
    const metrics = new Metrics();
    let drift: ReturnType<Gauges['inputDrift']> = { forecasts: 300, columns: [{ name: 'roll', psi: 0.5 }] };
    metrics.watch({ ...nothing, inputDrift: () => drift });
    const lines = async (): Promise<string[]> =>
      (await metrics.text()).split('\n').filter((line) => line.startsWith('tickmark_input_drift'));
    expect(await lines()).to.deep.equal(['tickmark_input_drift{column="roll"} 0.5', 'tickmark_input_drift_forecasts 300']);
    drift = { forecasts: 3, columns: null };
    expect(await lines()).to.deep.equal(['tickmark_input_drift_forecasts 3']);
    drift = null;
    expect(await lines()).to.deep.equal(['tickmark_input_drift_forecasts 0']);
  });

  it('shows the drift of a market only while the default version knows one, and its profile only where it was measured', async () => {
    const metrics = new Metrics();
    let drift: ReturnType<Gauges['marketDrift']> = { level: 1.25, profile: 0.75 };
    metrics.watch({ ...nothing, marketDrift: () => drift });
    const lines = async (): Promise<string[]> =>
      (await metrics.text()).split('\n').filter((line) => line.startsWith('tickmark_market_drift'));
    expect(await lines()).to.deep.equal(['tickmark_market_drift{part="level"} 1.25', 'tickmark_market_drift{part="profile"} 0.75']);
    drift = { level: 1.25, profile: null };
    expect(await lines()).to.deep.equal(['tickmark_market_drift{part="level"} 1.25']);
    drift = null;
    expect(await lines()).to.deep.equal([]);
  });

  it('counts the tensors of a backend once, which several workers share', async () => {
    const tensorsOf = async (sharesTensors: boolean): Promise<string | undefined> => {
      const workers = [21, 20].map((count) => {
        const metrics = new Metrics({ sharesTensors });
        metrics.watch({ ...nothing, tensors: () => ({ count, bytes: 8 * count }) });
        return metrics;
      });
      const text = await sumMetrics(() => Promise.all(workers.map((metrics) => metrics.json()))).text();
      return text.split('\n').find((line) => line.startsWith('tickmark_live_tensors '));
    };
    expect([await tensorsOf(true), await tensorsOf(false)]).to.deep.equal(['tickmark_live_tensors 21', 'tickmark_live_tensors 41']);
  });
});
