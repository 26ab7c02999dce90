import { expect } from 'chai';
import { seededRandom } from '../../../../src/core/Random.ts';
import { memoryInputs, type MemoryInput, MEMORY_INPUTS, INPUT_BOUND } from '../../../../src/engine/memory/memoryInputs.ts';
import { SeriesMemory } from '../../../../src/engine/memory/SeriesMemory.ts';
import { forecastAt, START_MS } from './series.ts';

const MINUTE_MS = 60_000;
const valueOf = (input: MemoryInput): number => ('value' in input ? input.value : NaN);

/** `days` of one-minute moves that are four times as large from 12:00 to 13:00 UTC; a forecast every 10 minutes. */
function busyNoon(days: number, theta = 1e-4): SeriesMemory {
  const memory = new SeriesMemory();
  const random = seededRandom(1);
  let price = 100;
  for (let minute = 0; minute < days * 1440; minute++) {
    const ms = START_MS + minute * MINUTE_MS;
    const size = Math.floor((minute % 1440) / 60) === 12 ? 4e-4 : 1e-4;
    for (const at of [0, 20_000, 40_000]) {
      price *= Math.exp(size * (random.uniform() - 0.5));
      memory.add({ timesUs: Float64Array.of((ms + at) * 1000), prices: Float64Array.of(price) });
    }
    if (minute % 10 === 9) {
      const reading = memoryInputs(memory.view(300_000), { theta, sigma: 1e-5, base: 0, version: 1 });
      memory.forecast({ horizonMs: 300_000, theta, probability: 0.5, version: 1, ...reading.levels });
    }
  }
  return memory;
}

describe('memoryInputs', () => {
  it('says why an input of a new series is not used', () => {
    const memory = new SeriesMemory();
    memory.add({ timesUs: Float64Array.of(START_MS * 1000), prices: Float64Array.of(100) });
    const { inputs, outcomes, sinceMs } = forecastAt(memory, START_MS);
    expect({ outcomes, sinceMs }).to.deep.equal({ outcomes: 0, sinceMs: START_MS });
    expect(
      Object.fromEntries(Object.entries(inputs).map(([name, input]) => [name, 'why' in input ? input.why : input.value])),
    ).to.deep.equal({
      ...{ hour: 'too_few_minutes', day: 'too_few_minutes', cal: 'other_version', prof: 'no_earlier_day', prof_day: 'no_earlier_day' },
      ...{ share_30: 'too_few_moves', share_100: 'too_few_moves', share_400: 'too_few_moves' },
    });
  });

  it('knows the busy hour of the clock from the second day on', () => {
    const memory = busyNoon(3);
    const at = (hour: number, minute: number): readonly [number, number] => {
      const copy = SeriesMemory.load(memory.save());
      const originMs = START_MS + 3 * 86_400_000 + hour * 3_600_000 + minute * MINUTE_MS;
      for (let ms = memory.lastMs + MINUTE_MS; ms < originMs; ms += MINUTE_MS)
        copy.add({ timesUs: Float64Array.of(ms * 1000), prices: Float64Array.of(100) });
      copy.add({ timesUs: Float64Array.of(originMs * 1000), prices: Float64Array.of(100) });
      const { inputs } = forecastAt(copy, originMs, 300_000);
      return [valueOf(inputs.prof), valueOf(inputs.prof_day)];
    };
    const [before, within, after] = [at(12, 5), at(12, 55), at(13, 40)];
    expect(before[0]).to.be.above(0.2);
    expect(before[1]).to.be.above(0.4);
    expect(Math.abs(within[0])).to.be.below(0.3);
    expect(after[0]).to.be.below(-0.1);
  });

  it('compares outcomes with probabilities, hour and day with their usual level, and moves with the requested threshold', () => {
    const memory = busyNoon(2, 5e-4);
    const question = { theta: 5e-5, sigma: 1e-5, base: 0, version: 1 };
    const view = memory.view(300_000);
    const low = memoryInputs(view, question);
    const high = memoryInputs(view, { ...question, theta: 2e-4 });
    const lively = memoryInputs(view, { ...question, sigma: 2e-5 });
    // No move of five minutes passed 5e-4 where one in two was expected.
    expect(valueOf(low.inputs.cal)).to.equal(-INPUT_BOUND);
    expect(valueOf(low.inputs.share_30)).to.be.above(valueOf(high.inputs.share_30));
    expect(valueOf(low.inputs.hour) - valueOf(lively.inputs.hour)).to.be.closeTo(Math.LN2 * (low.compared / (low.compared + 10)), 0.05);
    expect(low.levels).to.deep.equal(high.levels);
    for (const name of MEMORY_INPUTS) expect(Math.abs(valueOf(low.inputs[name]))).to.be.at.most(INPUT_BOUND);
  });
});
