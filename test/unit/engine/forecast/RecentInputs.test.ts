import { expect } from 'chai';
import { CONTEXT_COLUMNS } from '../../../../src/engine/features/columns.ts';
import { FEWEST_FORECASTS, InputMonitor, RECENT_FORECASTS, RecentInputs } from '../../../../src/engine/forecast/InputMonitor.ts';
import type { ServedModel } from '../../../../src/engine/model/ModelManifest.ts';
import { fakeForecaster, tickRequest } from '../../../support/fakeForecaster.ts';
import { smallInputs } from '../../../support/smallInputs.ts';

const row = (value: number): Float32Array => new Float32Array(CONTEXT_COLUMNS).fill(value);
const largest = (recent: RecentInputs): number => recent.drift()[0]?.psi ?? NaN;

describe('RecentInputs', () => {
  it('is 0 while its bins fill as in training, and large if one side is empty', () => {
    const recent = new RecentInputs(smallInputs(), 100);
    for (let i = 0; i < 50; i++) recent.add(row(i % 2 === 0 ? -1 : 1));
    expect([recent.count, largest(recent)]).to.deep.equal([50, 0]);
    for (let i = 0; i < 50; i++) recent.add(row(1));
    expect(largest(recent)).to.be.above(0.25);
  });

  it('puts a value at an edge into the bin that ends there', () => {
    const recent = new RecentInputs(smallInputs(), 10);
    for (const value of [0, 1e-30]) recent.add(row(value));
    expect(largest(recent)).to.equal(0);
  });

  it('drops the oldest row when it is full', () => {
    const recent = new RecentInputs(smallInputs(), 10);
    for (let i = 0; i < 25; i++) recent.add(row(-1));
    expect(recent.count).to.equal(10);
    for (let i = 0; i < 5; i++) recent.add(row(1));
    expect([recent.count, largest(recent)]).to.deep.equal([10, 0]);
    for (let i = 0; i < 5; i++) recent.add(row(1));
    expect(largest(recent)).to.be.above(4);
  });

  it('lists the columns with the most drift first', () => {
    const recent = new RecentInputs(smallInputs(), 10);
    for (let i = 0; i < 10; i++) {
      const context = row(i % 2 === 0 ? -1 : 1);
      context[3] = 1;
      context[5] = i < 3 ? -1 : 1;
      recent.add(context);
    }
    const { columns } = smallInputs();
    expect(
      recent
        .drift()
        .slice(0, 2)
        .map(({ name }) => name),
    ).to.deep.equal([columns[3]?.name, columns[5]?.name]);
  });
});

describe('InputMonitor', () => {
  const model = (id: string, has = true): ServedModel => ({ id, ...(has ? { inputs: smallInputs() } : {}) }) as ServedModel;

  it('returns no result below 200 forecasts, nor for a version that does not declare its training inputs', () => {
    const monitor = new InputMonitor();
    const [known, unknown] = [model('a'), model('b', false)];
    for (let i = 0; i < FEWEST_FORECASTS - 1; i++) for (const each of [known, unknown]) monitor.add(each, row(1));
    expect(monitor.read(known)).to.deep.equal({ forecasts: 199, columns: null, why: '200 forecasts are needed; there were 199.' });
    expect(monitor.read(unknown)).to.deep.include({ forecasts: 0, columns: null });
    monitor.add(known, row(1));
    expect(monitor.read(known).columns).to.have.length(CONTEXT_COLUMNS);
    expect(monitor.read(model('a'))).to.include({ forecasts: 0 });
  });

  it('keeps the last 2000 forecasts of each version separately', () => {
    const monitor = new InputMonitor();
    const [one, other] = [model('a'), model('b')];
    for (let i = 0; i < RECENT_FORECASTS + 5; i++) monitor.add(one, row(1));
    monitor.add(other, row(1));
    expect([monitor.read(one).forecasts, monitor.read(other).forecasts]).to.deep.equal([RECENT_FORECASTS, 1]);
  });

  it('gets each window once, at its default threshold, whatever threshold the caller sends', async () => {
    const seen: { id: string; context: number[] }[] = [];
    const inputs = {
      add: ({ id }: ServedModel, context: Float32Array) => void seen.push({ id, context: [...context] }),
    } as unknown as InputMonitor;
    const { forecaster } = fakeForecaster({ inputs });
    const request = tickRequest();
    const deadlineMs = Infinity;
    await forecaster.forecast(request, { deadlineMs });
    await forecaster.forecast(request, { deadlineMs, minMoveBps: 40, detail: true });
    // Concurrent with another window, which uses the slot in between.
    await Promise.all([forecaster.forecast(request, { deadlineMs }), forecaster.forecast(tickRequest({ seed: 8 }), { deadlineMs })]);
    expect(seen).to.have.length(4);
    expect(seen[1]).to.deep.equal(seen[0]);
    expect(seen[2]).to.deep.equal(seen[0]);
    expect(seen[3]).to.not.deep.equal(seen[0]);
  });

  it('gets neither the sample, which is not a live request, nor windows without features', async () => {
    const seen: unknown[] = [];
    const { forecaster } = fakeForecaster({ inputs: { add: () => void seen.push(1) } as unknown as InputMonitor });
    await forecaster.forecast(tickRequest());
    await forecaster.forecast(tickRequest({ count: 20 }), { deadlineMs: Infinity });
    expect(seen).to.have.length(0);
  });
});
