import { expect } from 'chai';
import { warmUp } from '../../../../src/service/app/openForecaster.ts';
import { sampleRequest } from '../../../../src/ticks/sampleRequest.ts';
import { compileBodyChecks } from '../../../../src/contract/compileBodyChecks.ts';
import { SUMMARY_OF_FORECAST } from '../../../support/fakeParts.ts';

describe('warmUp', () => {
  it('asks hundreds of times, two at once, so that both ways of a forecast are warm', async () => {
    let [asked, underWay, most] = [0, 0, 0];
    const forecast = async () => {
      asked++;
      most = Math.max(most, ++underWay);
      await Promise.resolve();
      underWay--;
      return { mark: null, reason: 'below_threshold' as const, summary: SUMMARY_OF_FORECAST, detail: null, stagesMs: null };
    };
    await warmUp({ sample: sampleRequest(), forecast }, compileBodyChecks());
    expect([asked, most]).to.deep.equal([400, 2]);
  });
});
