import { expect } from 'chai';
import { memoryInputs, MEMORY_INPUTS, type MemoryReading } from '../../../../src/engine/memory/memoryInputs.ts';
import { type MemoryLine, memoryPart } from '../../../../src/engine/memory/memoryLine.ts';
import { SeriesMemory } from '../../../../src/engine/memory/SeriesMemory.ts';
import { forecastAt, msOf, originsOf, START_MS, walk } from './series.ts';

const LINE: MemoryLine = {
  ...{ slope: 0.5, intercept: -0.4, weights: { hour: 0.6, day: 0.6, cal: 0.5, prof: 2, prof_day: 0.7, share_100: 0.25, share_400: 0.25 } },
};

/** A memory with outcomes, at its last tick. */
function grown(seed: number): SeriesMemory {
  const series = walk(seed, 6000, 900);
  const memory = new SeriesMemory();
  let from = 0;
  for (const origin of originsOf(series, 15)) {
    memory.add(series, from, origin + 1);
    forecastAt(memory, msOf(series, origin));
    from = origin + 1;
  }
  return memory;
}

describe('memoryPart', () => {
  it('is 0 for a series without past', () => {
    const memory = new SeriesMemory();
    memory.add({ timesUs: Float64Array.of(START_MS * 1000), prices: Float64Array.of(100) });
    expect(memoryPart(LINE, forecastAt(memory, START_MS), -1.6)).to.equal(0);
  });

  it('is slope and intercept by the number of outcomes, and weight times input', () => {
    const unused = Object.fromEntries(MEMORY_INPUTS.map((name) => [name, { why: 'no_outcomes' }])) as MemoryReading['inputs'];
    const levels = { hour: NaN, day: NaN, hours: NaN, week: NaN };
    const clockInputs = { hours: unused.hour, week: unused.hour };
    const reading = (inputs: Partial<MemoryReading['inputs']>, compared: number): MemoryReading => ({
      ...{ sinceMs: 0, outcomes: compared, compared, inputs: { ...unused, ...inputs }, clockInputs, days: 0, midMs: 0, levels },
    });
    expect(memoryPart(LINE, reading({}, 10), -2)).to.equal(0.5 * (-0.5 * -2 - 0.4));
    expect(memoryPart(LINE, reading({ prof: { value: 0.25, seen: 3 } }, 0), -2)).to.equal(0.5);
    expect(memoryPart(LINE, reading({ share_30: { value: 1, seen: 30 } }, 0), -2)).to.equal(0);
  });

  it('never makes the probability rise with the threshold', () => {
    for (const seed of [1, 2, 3]) {
      const memory = grown(seed);
      let last = Infinity;
      for (let step = 0; step <= 60; step++) {
        const theta = 4e-6 * Math.exp(step / 12);
        // A base that falls slowly with the threshold.
        const base = 0.5 - 0.02 * step;
        const reading = memoryInputs(memory.view(10_000), { theta, sigma: 1e-5, base, version: 1 });
        expect(reading.inputs.share_100).to.have.property('value');
        const logit = base + memoryPart(LINE, reading, base);
        expect(logit).to.be.at.most(last + 1e-12);
        last = logit;
      }
    }
  });
});
