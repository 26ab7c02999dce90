import { expect } from 'chai';
import fc from 'fast-check';
import { RecordFault, verifyRecord, type VerifiedRecord } from '../../src/cli/record/verifyRecord.ts';
import { sealedLine, type SealableForecast } from '../../src/engine/live/sealedLines.ts';
import { ServiceError } from '../../src/core/ServiceError.ts';
import { SealedForecasts } from '../../src/service/live/SealedForecasts.ts';
import { FakeClock } from '../support/FakeClock.ts';
import { MemoryStore } from '../support/MemoryStore.ts';

const SERIES = ['eurusd', 'gold'];
const PROCESSES = 2;
const DAY_MS = 86_400_000;
const process = fc.nat(PROCESSES - 1);
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('add' as const), process, series: fc.constantFrom(...SERIES), count: fc.integer({ min: 1, max: 4 }) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('write' as const), process, failure: fc.constantFrom('none', 'before', 'after') }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('clock' as const), process, days: fc.constantFrom(0, 0.1, 0.6, 1, 3) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const), process }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('trim' as const), most: fc.integer({ min: 1, max: 20 }) }) },
); // prettier-ignore

const sample = (number: number): SealableForecast => ({
  ...{ originMs: 1000 * number, endMs: 1000 * number + 60_000, minMoveBps: 2.5, probability: 0.123457, baselineProbability: 1e-6 },
  ...{ isMarked: false, ownThreshold: false, model: 'base-1', pauseS: 1800, barPeriodMs: 0 },
});

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

type Run = { readonly record: string; readonly earlier: readonly string[]; readonly written: readonly number[]; readonly isCut: boolean };

/** What several processes make of the steps, whatever fails: the record, and its seals at earlier times. */
async function runSteps(steps: readonly Step[]): Promise<Run> {
  const store = new MemoryStore();
  let ids = 0;
  const clocks = Array.from({ length: PROCESSES }, () => new FakeClock());
  const start = (at: number): SealedForecasts =>
    new SealedForecasts({ store, clock: clocks[at], newBatchId: () => `${++ids}`, mostLines: 1_000_000 });
  const processes = clocks.map((_, at) => start(at));
  const recordOf = async (): Promise<string> => {
    let text = '';
    for await (const part of processes[0].record('a')) text += part;
    return text;
  };
  const { addSealed } = store;
  const write = async (at: number, failure: string): Promise<void> => {
    store.addSealed = async (blocks) => {
      if (failure === 'before') throw new ServiceError('store.unavailable', 'down');
      const added = await addSealed.call(store, blocks);
      if (failure === 'after') throw new ServiceError('store.unavailable', 'no answer');
      return added;
    };
    await processes[at].write().catch((error: unknown) => expect(error).to.be.instanceOf(ServiceError));
  };
  const earlier: string[] = [];
  const written: number[] = [];
  let [number, isCut] = [0, false];
  for (const one of steps) {
    if (one.kind === 'add') {
      for (let i = 0; i < one.count; i++, number++) {
        const forecast = sample(number);
        processes[one.process].add('a', sealedLine(one.series, forecast));
        if (number % 2 === 0) processes[one.process].add('a', sealedLine(one.series, forecast, true));
        written.push(number);
      }
    } else if (one.kind === 'write') await write(one.process, one.failure);
    else if (one.kind === 'clock') clocks[one.process].advance(Math.round(one.days * DAY_MS));
    else if (one.kind === 'trim') {
      await store.trimSealed('a', one.most);
      isCut = true;
    } else {
      await write(one.process, 'none');
      processes[one.process] = start(one.process);
    }
    if (number % 5 === 0) earlier.push(...(await recordOf()).trimEnd().split('\n').slice(-1));
  }
  for (const at of processes.keys()) await write(at, 'none');
  return { record: await recordOf(), earlier, written, isCut };
}

/** One change of lines: the text of one, a line that goes, comes again or moves, or the rest. */
const change = fc.record({
  kind: fc.constantFrom('edit', 'delete', 'insert', 'move', 'cut', 'head'),
  at: fc.nat(1000),
  to: fc.nat(1000),
  character: fc.constantFrom('0', '9', 'a', ' ', '"', ',', '\n'),
});

type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

function changed(text: string, { kind, at, to, character }: Change): string {
  const lines = text.split('\n').slice(0, -1);
  const [from, other] = [at % lines.length, to % lines.length];
  if (kind === 'delete') lines.splice(from, 1);
  else if (kind === 'insert') lines.splice(other, 0, lines[from]);
  else if (kind === 'move') lines.splice(other, 0, ...lines.splice(from, 1));
  else if (kind === 'cut') lines.splice(from);
  else if (kind === 'head') lines.splice(0, from);
  else {
    const place = (at * 7919 + to) % text.length;
    return text.slice(0, place) + character + text.slice(place + 1);
  }
  return lines.map((line) => `${line}\n`).join('');
}

const check = (text: string, published: readonly string[]): VerifiedRecord | RecordFault => {
  try {
    return verifyRecord(text, { published });
  } catch (error) {
    if (error instanceof RecordFault) return error;
    throw error;
  }
};

describe('sealed records', () => {
  it('are one unbroken chain with every forecast once, whichever processes write it and whatever fails', () =>
    fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 50, size: 'max' }), async (steps) => {
        const { record, earlier, written, isCut } = await runSteps(steps);
        const found = verifyRecord(record, { published: earlier });
        const numbers = found.forecasts.map(({ originMs }) => originMs / 1000);
        if (isCut) expect(written).to.include.members(numbers);
        else expect(numbers.toSorted((a, b) => a - b)).to.deep.equal(written);
        expect(new Set(numbers).size).to.equal(numbers.length);
        for (const { originMs, moved, ...rest } of found.forecasts) {
          expect(moved).to.equal((originMs / 1000) % 2 === 0 ? true : null);
          expect({ originMs, ...rest }).to.deep.include(sample(originMs / 1000));
        }
      }),
      { numRuns: 100 },
    ));

  it('show any change: an edit, a line that is gone, added or moved, an end or a beginning that is left out', () =>
    fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30, size: 'max' }), fc.array(change, { minLength: 20, maxLength: 40 }), async (steps, changes) => {
        const { record } = await runSteps(steps);
        const published = record.trimEnd().split('\n').slice(-1);
        expect(check(record, published)).to.not.be.instanceOf(RecordFault);
        for (const one of changes) {
          const other = changed(record, one);
          if (other !== record) expect(check(other, published), JSON.stringify(one)).to.be.instanceOf(RecordFault);
        }
      }),
      { numRuns: 50 },
    )); // prettier-ignore

  it('cannot be written again with another key or from another beginning once a seal is published', async () => {
    const first = await runSteps([{ kind: 'add', process: 0, series: 'eurusd', count: 4 }]);
    const second = await runSteps([{ kind: 'add', process: 0, series: 'eurusd', count: 4 }]);
    const published = first.record.trimEnd().split('\n').slice(-1);
    expect(check(second.record, [])).to.not.be.instanceOf(RecordFault);
    const { key } = (check(first.record, []) as VerifiedRecord).seals[0];
    expect(() => verifyRecord(second.record, { key })).to.throw(RecordFault, 'another key');
    const longer = await runSteps([{ kind: 'add', process: 0, series: 'eurusd', count: 2 }]);
    expect(String(check(longer.record, published))).to.match(/later ones were left out/);
    expect(String(check(second.record.replaceAll('eurusd', 'gold'), published))).to.match(/a line of its block/);
  });
});
