import { expect } from 'chai';
import { compileBodyChecks } from '../../../../src/contract/compileBodyChecks.ts';
import { silentLogger } from '../../../../src/core/Logger.ts';
import type { ForecastCall } from '../../../../src/engine/forecast/Forecaster.ts';
import { systemClock } from '../../../../src/core/Clock.ts';
import { warmUp } from '../../../../src/service/app/warmUp.ts';
import { fakeParts, SUMMARY_OF_FORECAST } from '../../../support/fakeParts.ts';
import { OPTIONS } from '../../../support/testServer.ts';

const FORECAST = { mark: null, reason: 'below_threshold' as const, summary: SUMMARY_OF_FORECAST, detail: null, stagesMs: null };

describe('warmUp', () => {
  const deps = { checks: compileBodyChecks(), clock: systemClock, logger: silentLogger };

  it('answers the sample over HTTP two at once, and neither counts nor keeps anything', async () => {
    const asked: ForecastCall[] = [];
    const prices: (number | undefined)[] = [];
    const parts = fakeParts({
      forecast: ({ series }, options) => {
        asked.push(options);
        prices.push(series.prices[0]);
        return Promise.resolve(FORECAST);
      },
    });
    await warmUp(deps, OPTIONS, parts, 3);
    const first = parts.sample.Price[0] as number;
    expect(prices).to.deep.equal([first, first, first / 3, first / 3, first, first]);
    // With a deadline, the monitors would count them.
    expect(asked.every(({ deadlineMs }) => deadlineMs === undefined)).to.equal(true);
    expect(parts.calls.authenticate).to.equal(0);
  });

  it('ends where the sample is refused, and says so', async () => {
    const warned: string[] = [];
    const logger = { ...silentLogger, warn: (message: string) => void warned.push(message) };
    await warmUp({ ...deps, logger }, { ...OPTIONS, bodyLimitBytes: 10 }, fakeParts(), 3);
    expect(warned).to.deep.equal(['the sample could not be asked for: the first forecasts take longer']);
  });
});
