import { expect } from 'chai';
import type { Fault } from '../../chaos/Fault.ts';
import { schedule, type Wave } from '../../chaos/schedule.ts';

const fault = (name: string, isLight = false): Fault => ({ name, ...(isLight && { isLight }), run: () => Promise.resolve('') });
const FAULTS = [fault('a'), fault('b'), fault('c'), fault('x', true), fault('y', true)];

function waves(seed: number, count: number, faults = FAULTS): Wave[] {
  const found: Wave[] = [];
  for (const wave of schedule(seed, faults)) {
    found.push(wave);
    if (found.length === count) break;
  }
  return found;
}

const written = (all: readonly Wave[]): string =>
  JSON.stringify(
    all.map((wave) => [wave.pauseMs, wave.faults.map((planned) => [planned.fault.name, planned.afterMs, planned.random.uniform()])]),
  );

describe('the schedule of the chaos run', () => {
  it('is the same for the same seed, with what each fault draws, and another one for another seed', () => {
    expect(written(waves(7, 30))).to.equal(written(waves(7, 30)));
    expect(written(waves(7, 30))).not.to.equal(written(waves(8, 30)));
  });

  it('has each fault once before any comes again', () => {
    const names = waves(3, 9).map(({ faults }) => faults[0].fault.name);
    for (const from of [0, 3, 6]) expect(names.slice(from, from + 3).sort()).to.deep.equal(['a', 'b', 'c']);
  });

  it('brings light faults together with others only, unless they are alone', () => {
    const all = waves(5, 40);
    for (const { faults } of all) expect(faults.slice(1).every((planned) => planned.fault.isLight === true)).to.equal(true);
    expect(new Set(all.flatMap(({ faults }) => faults.slice(1).map((planned) => planned.fault.name)))).to.deep.equal(new Set(['x', 'y']));
    for (const { faults } of waves(5, 4, FAULTS.slice(3))) expect(faults).to.have.lengthOf(1);
  });
});
