import * as path from 'node:path';
import { expect } from 'chai';
import Database from 'libsql';
import { type Random, seededRandom } from '../../src/core/Random.ts';
import { INPUT_BOUND, memoryInputs } from '../../src/engine/memory/memoryInputs.ts';
import { SeriesMemory, memoryFault } from '../../src/engine/memory/SeriesMemory.ts';
import { ServiceError } from '../../src/core/ServiceError.ts';
import { toRow } from '../../src/service/accounts/mongoRecords.ts';
import { toAccount, toAccountDocument, toEvent, toEventDocument } from '../../src/service/accounts/mongoSchema.ts';
import { openSqliteStore } from '../../src/service/accounts/openSqliteStore.ts';
import { recordReader } from '../../src/service/accounts/transfer/accountRecords.ts';
import { exportAccounts } from '../../src/service/accounts/transfer/exportAccounts.ts';
import { FakeClock } from '../support/FakeClock.ts';
import { MemoryStore } from '../support/MemoryStore.ts';
import { SAMPLE_USE, sampleAccount, sampleEvent, sampleKey, sampleRecord, sampleWebhook } from '../support/sampleAccount.ts';
import { mutateJson } from '../support/mutateJson.ts';
import { mutateBytes } from '../support/mutateBytes.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

/** Mutants of each kind: `FUZZ=10000 npx mocha test/property/storedState.test.ts`. */
const MUTANTS = Number(process.env['FUZZ'] ?? 100);
const HORIZONS_MS = [5000, 60_000, 300_000, 1_800_000, 7_200_000, 86_400_000];

/** A memory with moves, days, outcomes and an open forecast. */
function grown(periodMs: number, gapMs: number): SeriesMemory {
  const memory = new SeriesMemory(periodMs);
  if (periodMs > 0) memory.readAs('close');
  const random = seededRandom(periodMs + gapMs);
  const startMs = 1.7e12 - (1.7e12 % 86_400_000);
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

  const bins = [{ tenth: 2, outcomes: 3, moved: 1, probabilitySum: 0.75 }];
  const coverage = [{ level: 0.9, outcomes: 4, covered: 3, overlapSum: 5 }];
  const counts = { outcomes: 5, marks: 3, hits: 2, moved: 2, brierSum: 1, baselineBrierSum: 1.5, squaredDifferenceSum: 0.5 };
  const record = sampleRecord('a', { tally: { ...counts, markOverlapSum: 4, bins, coverage } });
  const account = sampleAccount('a', { webhooks: [sampleWebhook('1')], keys: [sampleKey('a', { use: SAMPLE_USE })] });
  const event = sampleEvent('e', 'a');

  it('of an archive that was changed is refused with its reason, or written as it is', async () => {
    const bytes = Buffer.from(grown(0, 4000).save());
    const read = recordReader();
    const lines = [
      { type: 'account', account },
      { type: 'records', rows: [record] },
      { type: 'event', event },
      { type: 'memory', accountId: 'a', series: 's', bytes: bytes.toString('base64') },
    ];
    const random = seededRandom(1);
    let taken = 0;
    for (let i = 0; i < MUTANTS; i++) {
      const at = random.integer(lines.length);
      const line = lines[at];
      const mutated = mutateBytes(bytes, random);
      const mutant = at === 3 && i % 2 === 0 ? { ...line, bytes: Buffer.from(mutated).toString('base64') } : mutateJson(line, random);
      const found = read(JSON.stringify(mutant));
      if (typeof found === 'string') {
        expect(found).to.not.equal('');
        continue;
      }
      taken++;
      const store = new MemoryStore();
      if (found.type === 'account') await store.createAccount(found.account);
      else await store.createAccount(account);
      if (found.type === 'records') await store.importRecords(found.rows.map((row) => ({ ...row, accountId: 'a' })));
      if (found.type === 'event') await store.appendEvent({ ...found.event, accountId: 'a' });
      if (found.type === 'memory') await store.importMemories([{ ...found, accountId: 'a', bytes: Buffer.from(found.bytes, 'base64') }], 0);
      const copied: unknown[] = [];
      for await (const text of exportAccounts(store, new FakeClock())) copied.push(read(text));
      expect(copied.filter((one) => typeof one === 'string')).to.deep.equal([]);
      const ofAccount = (value: object) => JSON.stringify(value).replaceAll(/"accountId":"[^"]*"/g, '');
      expect(copied.map((one) => ofAccount(one as object))).to.include(ofAccount(found));
      expectSane(found);
    }
    expect(taken).to.be.within(1, MUTANTS / 2);
  });

  it('of a row of MongoDB that was changed is refused by its name, or can be what was stored', () => {
    const { accountId, series, model, bucket, ownThreshold, day, tally } = record;
    const { bins: _bins, coverage: _coverage, ...sums } = tally;
    const key = { accountId, series, model, bucket, ownThreshold, day };
    const [tenth, level] = [
      { outcomes: 3, moved: 1, probabilitySum: 0.75 },
      { outcomes: 4, covered: 3, overlapSum: 5 },
    ];
    const documents = [
      { ...toAccountDocument(account, 1) },
      { ...toEventDocument(event) },
      { _id: 'r', ...key, ...sums, bins: { 2: tenth }, coverage: { 90: level }, batch: 'b' },
    ];
    const readers = [
      (one: unknown) => toAccount(one as never),
      (one: unknown) => toEvent(one as never),
      (one: unknown) => toRow(one as never),
    ];
    for (const [at, read] of readers.entries()) expectSane(read(documents[at]));
    const random = seededRandom(2);
    let refused = 0;
    for (let i = 0; i < MUTANTS; i++) {
      const at = random.integer(documents.length);
      const mutant = mutateJson(documents[at], random);
      try {
        expectSane(readers[at](mutant));
      } catch (error) {
        expect(error).to.be.instanceOf(ServiceError);
        expect((error as ServiceError).message).to.match(/A row of the account store is damaged: (account|event|track record) /);
        refused++;
      }
    }
    expect(refused).to.be.above(MUTANTS / 4);
  });

  it('of a row of SQLite that was changed is refused by its name, begins again, or can be what was stored', async () => {
    const folder = temporaryFolder();
    const store = openSqliteStore(folder);
    const memory = grown(0, 4000).save();
    await store.createAccount(account, event);
    await store.addRecords([record], '1');
    await store.writeMemory({ accountId: 'a', series: 's', bytes: memory }, 0, 1);
    const raw = new Database(path.join(folder, 'tickmark.sqlite'));
    raw.exec('DROP TRIGGER audit_log_is_append_only; PRAGMA foreign_keys = OFF');
    const tables = ['accounts', 'api_keys', 'audit_log', 'track_record', 'series_memory'].map((name) => {
      const [row] = raw.prepare(`SELECT * FROM ${name}`).all() as Record<string, unknown>[];
      return { name, row: row! };
    });
    const random = seededRandom(3);
    const outcomes = { refused: 0, sane: 0, impossible: 0 };
    for (let i = 0; i < MUTANTS; i++) {
      const { name, row } = tables[random.integer(tables.length)];
      const columns = Object.keys(row).filter(
        (column) => column !== 'id' && column !== 'account_id' && column !== 'email_key' && column !== 'digest',
      );
      const column = columns[random.integer(columns.length)];
      const value = column === 'bytes' ? Buffer.from(mutateBytes(memory, random)) : sqlValue(row[column], random);
      const put = raw.prepare(`UPDATE ${name} SET ${column} = ?`);
      try {
        put.run([value]);
      } catch {
        // SQLite itself keeps the type of a column.
        outcomes.impossible++;
        continue;
      }
      try {
        expectSane([
          await store.findAccount('a'),
          await store.listEvents({ limit: 9 }),
          await store.listRecords({ accountId: 'a', limit: 9 }),
        ]);
        const found = await store.readMemory({ accountId: 'a', series: 's' });
        if (typeof found === 'object' && memoryFault(found.bytes) === undefined) goOn(SeriesMemory.load(found.bytes));
        // Whatever is in the row, the next write takes its place.
        const before = typeof found === 'object' ? found.revision : 0;
        if (name === 'series_memory' && column !== 'series')
          expect(await store.writeMemory({ accountId: 'a', series: 's', bytes: memory }, before, 1)).to.equal(true);
        outcomes.sane++;
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        expect(error.message).to.match(/A row of the account store is damaged: (account|key|event|track record) /);
        outcomes.refused++;
      }
      put.run([column === 'bytes' ? Buffer.from(memory) : row[column]]);
    }
    raw.close();
    await store.close();
    expect(Math.min(outcomes.refused, outcomes.sane)).to.be.above(MUTANTS / 20);
  });
});

/** Another value of the column, or of its JSON. */
function sqlValue(old: unknown, random: Random): unknown {
  if (typeof old === 'string' && /^[[{]/.test(old))
    return random.integer(5) === 0 ? old.slice(1) : JSON.stringify(mutateJson(JSON.parse(old), random));
  const { value } = mutateJson({ value: old }, random) as { value?: unknown };
  return typeof value === 'object' || value === undefined || typeof value === 'boolean' ? null : value;
}

/** What every stored number is, and every count of outcomes. */
function expectSane(value: unknown, name = ''): void {
  if (typeof value === 'number') expect(value, name).to.be.within(0, Number.MAX_SAFE_INTEGER);
  if (typeof value === 'number' && name.endsWith('Ms')) expect(new Date(value).toISOString()).to.not.equal('');
  if (name === 'day') expect(value).to.match(/^\d{4}-[01]\d-[0-3]\d$/);
  if (typeof value !== 'object' || value === null) return;
  const { outcomes, marks = 0, hits = 0, moved = 0, covered = 0 } = value as Record<string, number | undefined>;
  if (outcomes !== undefined) expect(Math.max(marks, hits, moved, covered)).to.be.at.most(outcomes);
  for (const [of, one] of Object.entries(value)) expectSane(one, of);
}
