import { expect } from 'chai';
import { ServiceError } from '../../../../src/core/ServiceError.ts';
import { type CorrelatedPair, groupSources, resolveGroups } from '../../../../training/data/groupSources.ts';

const pair = (a: string, b: string, rest: Partial<CorrelatedPair> = {}): CorrelatedPair => ({
  a,
  b,
  correlation: 0.934,
  bars: 8214,
  barS: 60,
  fromUs: 0,
  toUs: 1,
  ...rest,
});

function groupsOf(...args: Parameters<typeof groupSources>): Record<string, string> {
  return Object.fromEntries(groupSources(...args).groupOf);
}

describe('groupSources', () => {
  it('joins sources that are connected by any number of pairs, under the sorted names', () => {
    const pairs = [pair('d', 'b'), pair('b', 'a')];
    expect(groupsOf(['d', 'c', 'b', 'a'], {}, pairs)).to.deep.equal({ a: 'a+b+d', b: 'a+b+d', d: 'a+b+d', c: 'c' });
  });

  it("uses the user's name, or both names if a pair or an instrument joins two groups of the user", () => {
    const names = ['a', 'b', 'c', 'd'];
    expect(groupsOf(names, { mine: ['c', 'a'] }, [pair('a', 'b')])).to.deep.equal({ a: 'mine', b: 'mine', c: 'mine', d: 'd' });
    const both = { a: 'x+y', b: 'x+y', c: 'x+y', d: 'x+y' };
    expect(groupsOf(names, { y: ['a', 'b'], x: ['c', 'd'] }, [pair('b', 'c')])).to.deep.equal(both);
    expect(groupsOf(names, { y: ['a', 'b', 'c'], x: ['c', 'd'] }, [])).to.deep.equal(both);
  });

  it('does not depend on the order of names and pairs', () => {
    const [names, pairs] = [
      ['a', 'b', 'c', 'd', 'e'],
      [pair('a', 'e'), pair('c', 'b'), pair('e', 'c')],
    ];
    const expected = groupsOf(names, {}, pairs);
    expect(groupsOf(names.toReversed(), {}, pairs.toReversed())).to.deep.equal(expected);
  });

  it('reports detected pairs, but not those that the user grouped', () => {
    const names = ['a', 'b', 'c'];
    const pairs = [pair('a', 'b'), pair('b', 'c', { correlation: -0.6, bars: 69, barS: 5 })];
    expect(groupSources(names, {}, pairs).notes).to.deep.equal([
      'a and b move together (r = 0.93 over 8,214 minutes): one group.',
      'b and c move against each other (r = -0.60 over 69 bars of 5 s): one group.',
    ]);
    expect(groupSources(names, { mine: ['a', 'b'] }, pairs).notes).to.have.length(1);
  });
});

describe('resolveGroups', () => {
  const names = ['fx-eurusd', 'fx-nzdusd', 'a.b'];

  it('accepts members as names and as files', () => {
    const groups = { g: ['fx-eurusd', 'data/fx-nzdusd.csv.gz', 'a.b'] };
    expect(resolveGroups(groups, names)).to.deep.equal({ g: names });
  });

  it('rejects an unknown instrument with the nearest name, and a group named after an instrument that is not a member', () => {
    expect(() => resolveGroups({ g: ['fx-eurusb.csv'] }, names))
      .to.throw(
        ServiceError,
        'The group g names fx-eurusb.csv, which is not an instrument of the data: did you mean fx-eurusd? The data has fx-eurusd,',
      )
      .with.property('code', 'command.invalid');
    expect(() => resolveGroups({ g: ['something else'] }, names)).to.throw(
      'not an instrument of the data: the data has fx-eurusd, fx-nzdusd, a.b.',
    );
    const many = Array.from({ length: 13 }, (_, i) => `instrument-${i}`);
    expect(() => resolveGroups({ g: ['?'] }, many)).to.throw('instrument-9 and 3 more.');
    expect(() => resolveGroups({ 'a.b': ['fx-eurusd'] }, names)).to.throw('The group a.b has the name of an instrument that is not in it');
    expect(resolveGroups({ 'a.b': ['a.b', 'fx-eurusd'] }, names)).to.deep.equal({ 'a.b': ['a.b', 'fx-eurusd'] });
  });
});
