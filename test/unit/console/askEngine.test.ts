import { expect } from 'chai';
import { askEngine, isServed } from '../../../src/console/replay/askEngine.ts';
import { Failure } from '../../../src/console/service/failureText.ts';
import type { TickSeries } from '../../../src/console/ticks/TickSeries.ts';
import type { PageEngine } from '../../../src/console/worker/openPageEngine.ts';

describe('askEngine', () => {
  const series = { timesUs: Float64Array.from({ length: 20 }, (_, i) => 1e15 + i), prices: new Float64Array(20).fill(1) };
  const window = { series, count: 5, horizonMs: 250, options: {} };

  it('asks about the ticks up to each origin, in order, after a rest', async () => {
    const asked: unknown[] = [];
    const engine = {
      forecast: async ({ series: { timesUs }, horizonMs }: typeof window, options: unknown) => {
        asked.push([Array.from(timesUs, (us) => us - 1e15), horizonMs, options]);
        return { mark: 1, detail: { place: asked.length } };
      },
    } as unknown as PageEngine;
    const ask = askEngine(engine, { ...window, options: { minProbability: 0.3 } }, async () => void asked.push('rest'));
    const answers = await ask([4, 19], new AbortController().signal);
    const options = { minProbability: 0.3, counterfactual: false };
    expect(asked).to.deep.equal(['rest', [[0, 1, 2, 3, 4], 250, options], [[15, 16, 17, 18, 19], 250, options]]);
    expect(answers).to.deep.equal([
      { mark: 1, detail: { place: 2 } },
      { mark: 1, detail: { place: 3 } },
    ]);
  });

  it('passes the quotes of each window, which a threshold of cost needs', async () => {
    const asked: unknown[] = [];
    const engine = {
      forecast: async ({ series: { quotes } }: { series: TickSeries }, { minMoveBps }: { minMoveBps: unknown }) => {
        asked.push([quotes!.bids.length, quotes!.asks.length, quotes!.asks[0], minMoveBps]);
        return { mark: null, detail: {} };
      },
    } as unknown as PageEngine;
    const quotes = { bids: new Float64Array(20).fill(1), asks: Float64Array.from({ length: 20 }, (_, i) => 2 + i) };
    const quoted = { ...window, series: { ...series, quotes }, options: { minMoveBps: 'cost' } } as const;
    await askEngine(engine, quoted, async () => {})([4, 14], new AbortController().signal);
    expect(asked).to.deep.equal([
      [5, 5, 2, 'cost'],
      [5, 5, 12, 'cost'],
    ]);
  });

  it('gives a window that is refused a failure of its own, which does not pass', async () => {
    const engine = {
      forecast: async ({ series: { timesUs } }: typeof window) => {
        if (timesUs[0] === 1e15) throw Object.assign(new Error('too few'), { code: 'request.invalid' });
        return { mark: null, detail: {} };
      },
    } as unknown as PageEngine;
    const [first, second] = await askEngine(engine, window, async () => {})([4, 19], new AbortController().signal);
    expect(first).to.be.instanceOf(Failure).with.include({ status: 422, code: 'request.invalid', message: 'too few' });
    expect(second).to.deep.equal({ mark: null, detail: {} });
  });
});

describe('isServed', () => {
  it('compares the version and the rules, if there is a service', () => {
    const engine = { version: 'base', ruleset: { id: 'base-2', hash: 'aa' } };
    expect(isServed(engine, { model: 'base', ruleset: 'aa' })).to.equal(true);
    expect(isServed(engine, { model: 'own', ruleset: 'aa' })).to.equal(false);
    expect(isServed(engine, { model: 'base', ruleset: 'bb' })).to.equal(false);
    expect(isServed(engine, 'any')).to.equal(true);
  });
});
