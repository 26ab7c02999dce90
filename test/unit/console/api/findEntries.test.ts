import { expect } from 'chai';
import { findEntries } from '../../../../src/console/api/findEntries.ts';

const entry = (name: string, about: string, words = ''): { href: string; name: string; about: string; words: string } => ({
  ...{ href: `/docs/${name}`, name, about, words },
});
const ENTRIES = [
  entry('GET /auth/me', 'Get the account of the key'),
  entry('POST /auth/ti-tick', 'Forecast whether there is an opportunity', 'horizons min_move_bps'),
  entry('limit.exceeded', 'Too many requests of this kind.', '429'),
  entry('LIMIT_FORECASTS_PER_MINUTE', 'Forecasts of a key per minute'),
];
const names = (query: string): string[] => findEntries(ENTRIES, query).found.map(({ name }) => name);

describe('the search over routes, errors and settings', () => {
  it('needs every word, in the name, the text or the parameters, whatever their case', () => {
    expect(names('Horizons')).to.deep.equal(['POST /auth/ti-tick']);
    expect(names('429 limit')).to.deep.equal(['limit.exceeded']);
    expect(names('key minute')).to.deep.equal(['LIMIT_FORECASTS_PER_MINUTE']);
    expect(names('forecast nothing')).to.deep.equal([]);
  });

  it('lists matches in names before those in texts', () => {
    expect(names('forecast')).to.deep.equal(['LIMIT_FORECASTS_PER_MINUTE', 'POST /auth/ti-tick']);
    expect(names('limit')).to.deep.equal(['limit.exceeded', 'LIMIT_FORECASTS_PER_MINUTE']);
  });

  it('finds nothing for an empty query, and lists at most 30', () => {
    expect(findEntries(ENTRIES, '  ')).to.deep.equal({ found: [], count: 0 });
    const many = Array.from({ length: 50 }, (_, i) => entry(`route ${i}`, ''));
    const { found, count } = findEntries(many, 'route');
    expect([found.length, count]).to.deep.equal([30, 50]);
  });
});
