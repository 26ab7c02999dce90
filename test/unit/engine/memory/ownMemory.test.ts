import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { inflateRawSync } from 'node:zlib';
import { seededRandom } from '../../../../src/core/Random.ts';
import { memoryInputs } from '../../../../src/engine/memory/memoryInputs.ts';
import { memoryAnswer, type MemoryLine } from '../../../../src/engine/memory/memoryLine.ts';
import { type OwnWeights, startingWeights } from '../../../../src/engine/memory/OwnWeights.ts';
import { SeriesMemory } from '../../../../src/engine/memory/SeriesMemory.ts';
import { sessionBars } from '../../../support/sessionBars.ts';
import { START_MS } from './series.ts';

const LINE: MemoryLine = { slope: 1, intercept: 0, weights: { prof: 0.5 } };
const HORIZON_MS = 300_000;
const MINUTE_MS = 60_000;
const DAY_MINUTES = 1440;

type Asked = { readonly version?: number; readonly theta?: number };

/** The answer at the last tick; it is remembered. */
function ask(memory: SeriesMemory, { version = 1, theta = 2e-4 }: Asked = {}) {
  const view = memory.view(HORIZON_MS);
  const base = -1.4;
  const reading = memoryInputs(view, { theta, sigma: 1e-5, base, version });
  const answer = memoryAnswer(LINE, view.own, reading, base);
  const own = answer.own === null ? {} : { own: answer.own.question };
  memory.forecast({ horizonMs: HORIZON_MS, theta, probability: 1 / (1 + Math.exp(-base)), version, ...reading.levels, ...own });
  return { ...answer, outcomes: view.own?.outcomes };
}

/** A price each 20 s from minute to minute, a forecast every 10 minutes. */
function live(memory: SeriesMemory, from: number, to: number, seed = 1): void {
  const random = seededRandom(seed);
  for (let minute = from; minute < to; minute++) {
    for (const second of [0, 20, 40])
      memory.push((START_MS + minute * MINUTE_MS + second * 1000) * 1000, 100 * Math.exp(3e-4 * (random.uniform() - 0.5)));
    if (minute % 10 === 9) ask(memory);
  }
}

describe('a memory with weights of its own', () => {
  it('uses and learns them from the second day on', () => {
    const memory = new SeriesMemory();
    live(memory, 0, DAY_MINUTES - 20);
    expect(ask(memory)).to.deep.include({ own: null, outcomes: 0 });
    live(memory, DAY_MINUTES - 20, DAY_MINUTES + 300, 2);
    const { own, outcomes, part } = ask(memory);
    expect(outcomes).to.be.within(25, 30);
    expect(own!.part).to.not.equal(0);
    expect(part).to.be.closeTo(own!.question.logOdds + 1.4 + own!.part, 1e-12);
  });

  it('goes on after it was stored as if it had not been', () => {
    const [whole, stored] = [new SeriesMemory(), new SeriesMemory()];
    for (const memory of [whole, stored]) live(memory, 0, DAY_MINUTES + 210);
    const loaded = SeriesMemory.load(stored.save());
    for (const memory of [whole, loaded]) live(memory, DAY_MINUTES + 210, DAY_MINUTES + 400, 2);
    expect(loaded.save()).to.deep.equal(whole.save());
    expect(ask(loaded)).to.deep.equal(ask(whole));
  });

  it('begins them again with another version', () => {
    const memory = new SeriesMemory();
    live(memory, 0, DAY_MINUTES + 300);
    expect(memory.view(HORIZON_MS).own!.outcomes).to.be.above(20);
    ask(memory, { version: 2 });
    expect(memory.view(HORIZON_MS).own).to.deep.equal(startingWeights(HORIZON_MS, false));
  });

  it('does without them while the clock of bars is doubted, and begins again when they are read otherwise', () => {
    const memory = new SeriesMemory(MINUTE_MS);
    memory.readAs('close');
    let known = 0;
    for (const { startUs, open, high, low, close } of sessionBars({ days: 7, seed: 1 })) {
      // As if the stamp at the beginning of the bar were that of its end.
      memory.push(startUs, close, { open, high, low });
      known = Math.max(known, ask(memory).outcomes ?? 0);
    }
    expect(known).to.be.above(100);
    expect(memory.view(HORIZON_MS).barTimeDoubt).to.be.a('string');
    expect(memory.view(HORIZON_MS).own).to.equal(null);
    expect(ask(memory).own).to.equal(null);
    memory.readAs('open');
    expect(memory.view(HORIZON_MS).own).to.deep.equal(startingWeights(HORIZON_MS, true));
  });

  it('reads the bytes that earlier programs wrote, keeps the weights that they had learned, and begins the others', () => {
    type Older = {
      bytes: string;
      horizonMs: number;
      periodMs: number;
      lastMs: number;
      moves: number;
      outcomes?: Record<string, number>;
      squares?: { hour: number; day: number };
      own?: OwnWeights;
    };
    for (const older of JSON.parse(readFileSync('test/golden/olderMemories.json', 'utf8')) as Older[]) {
      const bytes = inflateRawSync(Buffer.from(older.bytes, 'base64'));
      const memory = SeriesMemory.load(bytes);
      const { outcomes, squares, moves, own } = memory.view(older.horizonMs);
      const start = startingWeights(older.horizonMs, older.periodMs > 0);
      expect(memory).to.include({ periodMs: older.periodMs, lastMs: older.lastMs });
      expect(moves.length).to.equal(older.moves);
      if (older.own === undefined) {
        expect(outcomes).to.include({ ...older.outcomes, clockLevels: 0 });
        expect(squares!.hour).to.be.closeTo(older.squares!.hour, 1e-20);
        expect(squares!.day).to.be.closeTo(older.squares!.day, 1e-20);
        expect(squares!.week).to.be.NaN;
        expect(own).to.deep.equal(start);
      } else {
        const begun = ({ means, covariance }: OwnWeights) => ({ means: means.slice(6), covariance: covariance.slice(21) });
        expect(own).to.deep.equal({
          outcomes: older.own.outcomes,
          means: [...older.own.means, ...begun(start).means],
          covariance: [...older.own.covariance, ...begun(start).covariance],
        });
      }
      const again = SeriesMemory.load(memory.save());
      expect(again.save()).to.deep.equal(memory.save());
      expect(again.save()[0]).to.be.above(bytes[0]);
    }
  });
});
