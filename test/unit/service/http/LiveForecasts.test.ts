import { expect } from 'chai';
import { MemoryCounter } from '../../../../src/service/accounts/limits/MemoryCounter.ts';
import { ServiceError } from '../../../../src/core/ServiceError.ts';
import { LiveForecasts } from '../../../../src/service/http/live/LiveForecasts.ts';
import type { LiveShared } from '../../../../src/service/http/live/LiveShared.ts';
import { FakeClock } from '../../../support/FakeClock.ts';
import { tickRequest } from '../../../support/fakeForecaster.ts';
import { fakeParts, keyLimit } from '../../../support/fakeParts.ts';
import { serviceErrorOf } from '../../../support/serviceErrorOf.ts';

describe('LiveForecasts', () => {
  it('returns the permit of a forecast that fails, and keeps that of one that is made', async () => {
    const clock = new FakeClock();
    const policy = { name: 'forecasts', quota: 2, windowSeconds: 60 };
    const limit = keyLimit(policy, new MemoryCounter(policy, clock));
    const good = fakeParts();
    let failure: ServiceError | undefined = new ServiceError('inference.failed', 'The network failed.');
    const parts = fakeParts({
      limits: { ...good.limits, forecasts: limit },
      forecast: (ticks, options) => (failure === undefined ? good.forecast(ticks, options) : Promise.reject(failure)),
    });
    const entered: string[] = [];
    const shared = {
      deps: { clock, onForecast: () => {} },
      options: { forecastDeadlineMs: 1000 },
      admission: { enter: () => Promise.resolve(void entered.push('in')), leave: () => void entered.push('out') },
      loopDelay: { delayMs: 0 },
      parts: () => parts,
    } as unknown as LiveShared;
    const forecasts = new LiveForecasts(shared, { keyId: 'key-1', accountId: 'a' });
    const compute = () => forecasts.compute(tickRequest(), {});
    for (let i = 0; i < 5; i++) expect((await serviceErrorOf(compute())).code).to.equal('inference.failed');
    failure = undefined;
    for (let i = 0; i < 2; i++) expect((await compute()).mark).to.equal(1);
    expect((await serviceErrorOf(compute())).code).to.equal('limit.exceeded');
    expect(entered.join(' '), 'each leaves the queue').to.equal(Array(8).fill('in out').join(' '));
  });
});
