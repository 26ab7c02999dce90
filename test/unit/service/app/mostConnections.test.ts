import { expect } from 'chai';
import { mostConnections } from '../../../../src/service/app/topology.ts';

describe('mostConnections', () => {
  it('leaves 128 open files for the rest of the service, or half of a small limit', () => {
    expect([Infinity, 20_000, 1024, 256, 200, 64].map(mostConnections)).to.deep.equal([Infinity, 19_872, 896, 128, 100, 32]);
  });
});
