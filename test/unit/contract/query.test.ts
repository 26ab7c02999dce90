import { expect } from 'chai';
import { readQuery } from '../../../src/contract/query.ts';
import { serviceErrorOf } from '../../support/serviceErrorOf.ts';
import { FORECAST_ROUTES } from '../../../src/contract/forecastRoutes.ts';

describe('readQuery', () => {
  it('reads answer=last alone, with detail=full, and on both forecast routes', () => {
    for (const { query } of Object.values(FORECAST_ROUTES)) {
      expect(readQuery('', query)).to.deep.equal({ detail: false });
      expect(readQuery('detail=full', query)).to.deep.equal({ detail: true });
      expect(readQuery('answer=last', query)).to.deep.equal({ detail: false, lastOnly: true });
      expect(readQuery('detail=full&answer=last', query)).to.deep.equal({ detail: true, lastOnly: true });
    }
  });

  it('reads mark_rate with series, on the route that has series', () => {
    expect(readQuery('series=a&mark_rate=0.05', FORECAST_ROUTES.tickForecast.query)).to.include({ series: 'a', markRate: 0.05 });
  });

  for (const [text, code, pointer] of [
    ['mark_rate=0.05', 'query.malformed', '?mark_rate'],
    ['series=a&mark_rate=0.05&min_probability=0.4', 'mark_rate.with_probability', '?mark_rate'],
    ['series=a&mark_rate=0', 'mark_rate.out_of_range', '?mark_rate'],
    ['series=a&mark_rate=0.51', 'mark_rate.out_of_range', '?mark_rate'],
    ['series=a&mark_rate=5%25', 'query.malformed', '?mark_rate'],
    ['series=a&mark_rate=', 'query.malformed', '?mark_rate'],
    ['series=a&mark_rate=0.1&mark_rate=0.1', 'query.repeated', '?mark_rate'],
  ] as const)
    it(`refuses ${text}`, async () => {
      const { errors } = await serviceErrorOf(Promise.resolve().then(() => readQuery(text, FORECAST_ROUTES.tickForecast.query)));
      expect(errors).to.have.lengthOf(1);
      expect(errors[0]).to.include({ code, pointer });
    });
});
