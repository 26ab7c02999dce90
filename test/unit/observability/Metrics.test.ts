import { expect } from 'chai';
import { Metrics, type Gauges } from '../../../src/observability/Metrics.ts';

describe('Metrics', () => {
  it('shows the drift of a column only while something is claimed of it', async () => {
    const metrics = new Metrics();
    let drift: ReturnType<Gauges['inputDrift']> = { forecasts: 300, columns: [{ name: 'roll', psi: 0.5 }] };
    metrics.watch({
      forecastsWaiting: () => 0,
      passwordsWaiting: () => 0,
      droppedLogLines: () => 0,
      tensors: () => ({ count: 0, bytes: 0 }),
      models: () => [],
      inputDrift: () => drift,
    });
    const lines = async (): Promise<string[]> =>
      (await metrics.text()).split('\n').filter((line) => line.startsWith('tickmark_input_drift'));
    expect(await lines()).to.deep.equal(['tickmark_input_drift{column="roll"} 0.5', 'tickmark_input_drift_forecasts 300']);
    drift = { forecasts: 3, columns: null };
    expect(await lines()).to.deep.equal(['tickmark_input_drift_forecasts 3']);
    drift = null;
    expect(await lines()).to.deep.equal(['tickmark_input_drift_forecasts 0']);
  });
});
