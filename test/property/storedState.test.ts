import { expect } from 'chai';
import { type Random, seededRandom } from '../../src/core/Random.ts';
import { INPUT_BOUND, memoryInputs } from '../../src/engine/memory/memoryInputs.ts';
import { SeriesMemory } from '../../src/engine/memory/SeriesMemory.ts';
import { mutateBytes } from '../support/mutateBytes.ts';

/** Mutants of each kind: `FUZZ=10000 npx mocha test/property/storedState.test.ts`. */
const MUTANTS = Number(process.env['FUZZ'] ?? 500);
const MINUTE = 60_000;
const HORIZONS_MS = [5000, 60_000, 300_000, 1_800_000, 7_200_000, 86_400_000];

/** A memory with moves, days, outcomes and an open forecast. */
function grown(periodMs: number, gapMs: number, withCloses = false): SeriesMemory {
  const memory = new SeriesMemory(periodMs);
  if (periodMs > 0) memory.readAs('close');
  const random = seededRandom(periodMs + gapMs);
  const startMs = 1.7e12 - (1.7e12 % 86_400_000);
  if (withCloses)
    memory.addCloses(
      {
        timesUs: Float64Array.from({ length: 900 }, (_, i) => (startMs + (i - 900) * MINUTE) * 1000),
        prices: new Float64Array(900).fill(99),
      },
      startMs * 1000,
    );
  const push = (i: number): void => memory.push((startMs + i * gapMs) * 1000, 100 + random.uniform());
  for (let i = 0; i < 1500; i++) {
    push(i);
    if (i % 7 === 0) learn(memory);
  }
  return memory;
}

function learn(memory: SeriesMemory): void {
  for (const horizonMs of HORIZONS_MS) {
    const { inputs, levels } = memoryInputs(memory.view(horizonMs), { theta: 1e-4, sigma: 1e-5, base: -1, version: 7 });
    for (const [name, input] of Object.entries(inputs))
      if ('value' in input) expect(Math.abs(input.value), `${name} of ${horizonMs} ms`).to.be.at.most(INPUT_BOUND);
    memory.forecast({ horizonMs, theta: 1e-4, probability: 0.27, version: 7, ...levels, ranges: [1e-4, 2e-4, 3e-4] });
  }
}

/** Ticks close by, a silence, a pause and a day that was forgotten, each with what a forecast reads. */
function goOn(memory: SeriesMemory): void {
  const lastMs = Number.isNaN(memory.lastMs) ? 1.7e12 : memory.lastMs;
  const stepMs = Math.max(memory.periodMs, 1000);
  for (const ms of [0, stepMs, 61 * stepMs, 3_600_000, 90_000_000, 90_000_000 + stepMs]) {
    const next = { timesUs: Float64Array.of((lastMs + ms) * 1000), prices: Float64Array.of(100) };
    memory.join(next);
    learn(memory);
  }
}

/** True: it was taken, and lives on as the memory of a series does; false: it was refused. */
function isTaken(bytes: Uint8Array): boolean {
  let memory: SeriesMemory;
  try {
    memory = SeriesMemory.load(bytes);
  } catch (error) {
    expect(error).to.be.instanceOf(RangeError);
    expect((error as Error).message).to.not.equal('');
    return false;
  }
  // All of it was read; only NaN has more than one form.
  const saved = memory.save();
  expect(saved.length).to.equal(bytes.length);
  expect(SeriesMemory.load(saved).save()).to.deep.equal(saved);
  goOn(memory);
  expect(() => SeriesMemory.load(memory.save())).to.not.throw();
  return true;
}

const mutants = (seed: number, mutate: (random: Random) => Uint8Array): Uint8Array[] => {
  const random = seededRandom(seed);
  return Array.from({ length: MUTANTS }, () => mutate(random));
};

describe('stored state', () => {
  const memories = {
    ticks: () => grown(0, 4000),
    'ticks with pauses': () => grown(0, 1_700_000),
    'closes and ticks': () => grown(0, 2000, true),
    'bars of a minute': () => grown(60_000, 60_000),
    'bars of a day': () => grown(86_400_000, 86_400_000),
  };
  for (const [kind, make] of Object.entries(memories))
    it(`of a series of ${kind} that was changed is refused, or lives on as that of a series does`, () => {
      const bytes = make().save();
      expect(isTaken(bytes)).to.equal(true);
      const taken = mutants(bytes.length, (random) => mutateBytes(bytes, random)).filter((mutant) => isTaken(mutant)).length;
      expect(taken).to.be.below(MUTANTS);
    });
});
