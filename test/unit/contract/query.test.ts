import { expect } from 'chai';
import { readQuery } from '../../../src/contract/query.ts';
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
});
