import { expect } from 'chai';
import { Metrics, type Gauges, PrimaryMetrics, sumMetrics } from '../../../../src/core/observability/Metrics.ts';

const nothing: Gauges = {
  forecastsWaiting: () => 0,
  passwordsWaiting: () => 0,
  droppedLogLines: () => 0,
  restarts: () => ({ worker: 0, inference: 0 }),
  outages: () => ({ keys: false, limits: false }),
  clockOffsetMs: () => 0,
  lastBackupMs: () => 1_700_000_000_500,
  tensors: () => ({ count: 0, bytes: 0 }),
  models: () => [],
  inputDrift: () => null,
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

  it('counts the faults of the card', async () => {
    const metrics = new Metrics();
    metrics.count('tickmark_card_faults_total');
    metrics.count('tickmark_card_faults_total');
    expect(await metrics.text()).to.match(/^tickmark_card_faults_total 2$/m);
  });

  it('says 1 while the store answers, and for several workers the least', async () => {
    const workers = ['answered', 'failed'].map((outcome) => {
      const metrics = new Metrics();
      metrics.storeCall('ping', outcome as 'answered' | 'failed', 1);
      return metrics;
    });
    const upOf = async (text: Promise<string>): Promise<string | undefined> => /^tickmark_store_up (.*)$/m.exec(await text)?.[1];
    expect(await Promise.all(workers.map((metrics) => upOf(metrics.text())))).to.deep.equal(['1', '0']);
    expect(await upOf(sumMetrics(() => Promise.all(workers.map((metrics) => metrics.json()))).text())).to.equal('0');
    workers[1].storeCall('ping', 'answered', 1);
    expect(await upOf(sumMetrics(() => Promise.all(workers.map((metrics) => metrics.json()))).text())).to.equal('1');
  });

  it('have the start of the primary process, its own share of each process metric, and its restarts', async () => {
    const worker = new Metrics();
    worker.watch({ ...nothing, droppedLogLines: () => 2 });
    const primary = new PrimaryMetrics({ droppedLogLines: () => 3, restarts: () => ({ worker: 4, inference: 5 }) });
    const own = (await primary.json()) as { name: string; values: { value: number }[] }[];
    const startSeconds = own.find(({ name }) => name === 'process_start_time_seconds')?.values[0]?.value;
    expect(startSeconds).to.be.above(1e9);
    const series = (text: string, name: string): string[] => text.split('\n').filter((line) => line.startsWith(name));
    const [all, one] = [sumMetrics(async () => [await primary.json(), await worker.json()]), sumMetrics(async () => [await worker.json()])];
    const text = await all.text();
    expect(series(text, 'process_start_time_seconds ')).to.deep.equal([`process_start_time_seconds ${startSeconds}`]);
    expect(series(text, 'tickmark_restarts_total')).to.deep.equal([
      'tickmark_restarts_total{process="worker"} 4',
      'tickmark_restarts_total{process="inference"} 5',
    ]);
    expect(series(text, 'tickmark_log_lines_dropped_total ')).to.deep.equal(['tickmark_log_lines_dropped_total 5']);
    // Both lists are of this process: together about twice as much.
    const memory = async (metrics: { text(): Promise<string> }): Promise<number> =>
      Number(series(await metrics.text(), 'process_resident_memory_bytes ')[0]?.split(' ')[1]);
    expect((await memory(all)) / (await memory(one))).to.be.within(1.5, 2.5);
  });

  it('have the same process metrics with one process and with several, the start among them', async () => {
    const one = new Metrics();
    const primary = new PrimaryMetrics({ droppedLogLines: () => 0, restarts: nothing.restarts });
    const several = sumMetrics(async () => [await primary.json(), await one.json(), await new Metrics().json()]);
    const namesOf = async (metrics: { text(): Promise<string> }): Promise<string[]> =>
      [...(await metrics.text()).matchAll(/^(process_\w+) [\d.e+]+$/gm)].map(([, name = '']) => name).toSorted();
    const names = await namesOf(one);
    expect(names).to.include.members(['process_start_time_seconds', 'process_resident_memory_bytes', 'process_cpu_seconds_total']);
    expect(await namesOf(several)).to.deep.equal(names);
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
