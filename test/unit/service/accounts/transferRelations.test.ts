import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import type { Account } from '../../../../src/service/accounts/AccountStore.ts';
import type { AuditEvent } from '../../../../src/service/accounts/AuditEvent.ts';
import { openSqliteStore } from '../../../../src/service/accounts/openSqliteStore.ts';
import { exportAccounts } from '../../../../src/service/accounts/transfer/exportAccounts.ts';
import { checkTransferFile, importAccounts, type AccountImportOptions } from '../../../../src/service/accounts/transfer/importAccounts.ts';
import type { MemoryRow } from '../../../../src/service/live/MemoryStore.ts';
import type { RecordRow } from '../../../../src/service/live/TrackRecord.ts';
import { SeriesMemory } from '../../../../src/engine/memory/SeriesMemory.ts';
import { FakeClock } from '../../../support/FakeClock.ts';
import { MemoryStore } from '../../../support/MemoryStore.ts';
import { sampleAccount, sampleDigest, sampleEvent, sampleKey, sampleRecord, sampleWebhook } from '../../../support/sampleAccount.ts';
import { accountLine, HEADER, type Line, transferText } from '../../../support/transferFile.ts';

/** A file of accounts a0, a1, … with rows of each kind, whose parts a test may change. */
type Parts = { accounts: Account[]; rows: RecordRow[][]; memories: MemoryRow[][]; events: AuditEvent[] };

const clock = new FakeClock();
const VICTIM = 'victim';
/** Of series of ticks and of bars. */
const MEMORIES = [0, 60_000].map((periodMs) => new SeriesMemory(periodMs).save());
let folder: string;
let file: string;
before(() => (file = path.join((folder = mkdtempSync(path.join(tmpdir(), 'tickmark-relations-'))), 'accounts.ndjson')));
after(() => rmSync(folder, { recursive: true, force: true }));

function partsOf(accounts: number, rows: number, memories: number, events: number): Parts {
  const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i);
  return {
    accounts: numbers(accounts).map((i) => sampleAccount(`a${10 + i}`, { webhooks: [sampleWebhook(`${i}`)] })),
    rows: numbers(accounts).map((i) => numbers(rows).map((j) => sampleRecord(`a${10 + i}`, { series: `s${j}` }))),
    memories: numbers(accounts).map((i) => numbers(memories).map((j) => ({ accountId: `a${10 + i}`, series: `s${j}`, bytes: MEMORIES[j % MEMORIES.length] }))), // prettier-ignore
    events: numbers(events).map((i) => sampleEvent(`e${i}`, `a${10 + (i % accounts)}`, { atMs: 1e12 - i })),
  };
}

const linesOf = ({ accounts, rows, memories, events }: Parts): Line[] => [
  HEADER,
  ...accounts.flatMap((account, i) => [
    { type: 'account', account },
    ...(rows[i].length > 0 ? [{ type: 'records', rows: rows[i] }] : []),
    ...memories[i].map(({ bytes, ...key }) => ({ type: 'memory', ...key, bytes: Buffer.from(bytes).toString('base64') })),
  ]),
  ...events.map((event) => ({ type: 'event', event })),
];

/** What refuses the file, with the store as it was, or what was imported. */
async function outcomeOf(lines: readonly Line[], store: MemoryStore, options?: AccountImportOptions): Promise<string> {
  writeFileSync(file, transferText(lines));
  const before = JSON.stringify([[...store.accounts], store.events, store.records, [...store.memories]]);
  try {
    return JSON.stringify(await importAccounts(store, file, clock, options));
  } catch (error) {
    expect(JSON.stringify([[...store.accounts], store.events, store.records, [...store.memories]]), 'nothing is written').to.equal(before);
    return (error as Error).message.replace(file, 'FILE');
  }
}

/** Changes one of a list, the `k`th in turn. */
function change<T extends object>(list: T[], k: number, given: Partial<T>): void {
  list[k % list.length] = { ...list[k % list.length]!, ...given };
}
/** Adds a copy of the last one of a list, changed. */
const repeat = <T extends object>(list: T[], given: Partial<T>): unknown => list.push({ ...list.at(-1)!, ...given });
const FOREIGN = 'is not of the account before it';
const UNKNOWN = 'the event is of an account of the store that the file does not contain';
const UNORDERED = 'the events are not ordered, newest first';

/** `k`: which of several. */
const MUTATIONS: readonly (readonly [what: string, says: string, mutate: (parts: Parts, k: number) => unknown])[] = [
  ['a row of another account of the store', `a row of the track record ${FOREIGN}`, ({ rows }, k) => change(rows[k % rows.length], k, { accountId: VICTIM })],
  ['a row of another account of the file', `a row of the track record ${FOREIGN}`, ({ rows }, k) => rows[k % rows.length].push(sampleRecord(`a${10 + ((k + 1) % rows.length)}`, { series: 'new' }))],
  ['a row twice', 'a row of the track record occurs twice', ({ rows }, k) => repeat(rows[k % rows.length], {})],
  ['a memory of another account of the store', `a memory ${FOREIGN}`, ({ memories }, k) => change(memories[k % memories.length], k, { accountId: VICTIM })],
  ['a memory twice', 'a memory occurs twice', ({ memories }, k) => repeat(memories[k % memories.length], { bytes: MEMORIES[0] })],
  ['an event of another account of the store', UNKNOWN, ({ events }, k) => change(events, k, { accountId: VICTIM })],
  ['events of another account of the store, with its deletion', UNKNOWN, ({ events }, k) => change(events, k, { accountId: VICTIM, action: 'account.deleted' })],
  ['the id of an event twice', 'the id of an event occurs twice', ({ events }) => repeat(events, { id: events[0].id, atMs: events.at(-1)!.atMs - 1 })],
  ['an event before a newer one', UNORDERED, ({ events }) => repeat(events, { id: 'later', atMs: events.at(-1)!.atMs + 1 })],
  ['two events of one time in the wrong order', UNORDERED, ({ events }) => repeat(events, { id: 'a' })],
  ['the id of an account twice', 'the id of an account occurs twice', ({ accounts }) => change(accounts, 1, { id: accounts[0].id })],
  ['an e-mail twice', 'an e-mail occurs twice', ({ accounts: [{ email, emailKey }], accounts }) => change(accounts, 1, { email, emailKey })],
  ['accounts in the wrong order', 'the accounts are not ordered by e-mail', ({ accounts, rows, memories }) => [accounts, rows, memories].map((list) => list.reverse())],
  ['the id of a key in two accounts', 'the id of a key occurs twice', ({ accounts }) => change(accounts, 1, { keys: [{ ...sampleKey('new'), id: accounts[0].keys[0].id }] })],
  ['the digest of a key in two accounts', 'the digest of a key occurs twice', ({ accounts }) => change(accounts, 1, { keys: [{ ...sampleKey('new'), digest: accounts[0].keys[0].digest }] })],
  ['the digest of a key twice in one account', 'the digest of a key occurs twice', ({ accounts }, k) => { const { keys } = accounts[k % accounts.length]; change(accounts, k, { keys: [...keys, { ...keys[0], id: 'new' }] }); }],
  ['the id of a webhook in two accounts', 'the id of a webhook occurs twice', ({ accounts }) => change(accounts, 1, { webhooks: accounts[0].webhooks! })],
  ['an account with a reserved id', 'the id of an account is reserved', (parts, k) => { [parts.rows[0], parts.memories[0]] = [[], []]; change(parts.accounts, 0, { id: ['none', 'all'][k % 2] }); }],
]; // prettier-ignore

describe('the lines of a transfer file', () => {
  const sizes = fc.tuple(fc.integer({ min: 2, max: 5 }), fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 3 }), fc.integer({ min: 2, max: 6 })); // prettier-ignore
  const victimStore = async (): Promise<MemoryStore> => {
    const store = new MemoryStore();
    await store.createAccount(sampleAccount(VICTIM));
    return store;
  };

  it('are accepted if they belong together, and written as they are', () =>
    fc.assert(
      fc.asyncProperty(sizes, async (size) => {
        const [parts, store] = [partsOf(...size), await victimStore()];
        expect(JSON.parse(await outcomeOf(linesOf(parts), store))).to.include({ created: size[0], skipped: 0, events: size[3] });
        expect([store.records.length, store.memories.size]).to.deep.equal([size[0] * size[1], size[0] * size[2]]);
      }),
      { numRuns: 30 },
    ));

  for (const [what, says, mutate] of MUTATIONS)
    it(`are refused, and nothing is written: ${what}`, () =>
      fc.assert(
        fc.asyncProperty(sizes, fc.nat(99), async (size, k) => {
          const parts = partsOf(...size);
          mutate(parts, k);
          for (const options of [{}, { skipsExisting: true }])
            expect(await outcomeOf(linesOf(parts), await victimStore(), options)).to.match(new RegExp(`^FILE: line \\d+: ${says}\\.$`));
        }),
        { numRuns: 15 },
      ));

  it('are refused if one of them is anywhere else, twice or left out', () =>
    fc.assert(
      fc.asyncProperty(sizes, fc.nat(999), fc.nat(999), fc.constantFrom('move', 'repeat'), async (size, from, to, how) => {
        const lines = linesOf(partsOf(...size));
        const at = from % lines.length;
        const [line] = how === 'move' ? lines.splice(at, 1) : [lines[at]];
        const target = to % (lines.length + 1);
        lines.splice(target, 0, line!);
        const isMemory = line!['type'] === 'memory' || line!['type'] === 'records';
        // Rows may change their places after their account.
        fc.pre(how === 'repeat' || (target !== at && !isMemory));
        expect(await outcomeOf(lines, new MemoryStore())).to.match(/^FILE: line \d+: /);
      }),
      { numRuns: 200 },
    ));

  it('are refused without a store, too', async () => {
    for (const [line, says] of [
      [{ type: 'records', rows: [sampleRecord(VICTIM)] }, 'a row of the track record is not of the account before it'],
      [{ type: 'event', event: sampleEvent('e', VICTIM) }, 'the event is of an account that the file does not contain'],
    ] as const) {
      writeFileSync(file, transferText([HEADER, accountLine('a'), line]));
      expect(await checkTransferFile(file).then(() => '', String)).to.include(`line 3: ${says}`);
    }
  });

  it('may have events of deleted accounts, of e-mails that no account has, and of backups', async () => {
    const events = [
      sampleEvent('0', 'all', { atMs: 10, action: 'backup.made' }),
      sampleEvent('1', 'none', { atMs: 9, action: 'account.login_failed' }),
      sampleEvent('2', 'gone', { atMs: 8, action: 'account.login_failed' }),
      sampleEvent('3', 'gone', { atMs: 7, action: 'account.deleted' }),
    ].map((event) => ({ type: 'event', event }));
    expect(JSON.parse(await outcomeOf([HEADER, ...events], new MemoryStore()))).to.include({ events: 4 });
  });

  it('write nothing of an account that is skipped: neither rows nor memories nor events', async () => {
    const store = await victimStore();
    const other = sampleAccount(VICTIM, { email: 'other@example.com', emailKey: 'other@example.com', keys: [sampleKey('b')] });
    const lines = [
      HEADER,
      { type: 'account', account: other },
      { type: 'records', rows: [sampleRecord(VICTIM)] },
      { type: 'memory', accountId: VICTIM, series: 's', bytes: Buffer.from(MEMORIES[0]).toString('base64') },
      { type: 'event', event: sampleEvent('e', VICTIM) },
    ];
    expect(JSON.parse(await outcomeOf(lines, store, { skipsExisting: true }))).to.deep.equal({ created: 0, unchanged: 0, skipped: 1, events: 0 }); // prettier-ignore
    expect([store.records.length, store.memories.size, store.events.length]).to.deep.equal([0, 0, 0]);
  });

  it('conflict with an account of the same e-mail in another normalised form', async () => {
    const [email, older] = ['x@bücher.example', 'x@xn--bcher-kva.example'];
    const account = sampleAccount('new', { email, emailKey: older, keys: [sampleKey('k', { digest: sampleDigest('k') })] });
    const store = new MemoryStore();
    await store.createAccount(sampleAccount(VICTIM, { email, emailKey: email }));
    expect(await outcomeOf([HEADER, { type: 'account', account }], store)).to.match(/already exist with different data/);
    // An older version stored them as two accounts.
    const both = [sampleAccount('a', { email, emailKey: email }), account];
    const copy = new MemoryStore();
    const lines = [HEADER, ...both.map((each) => ({ type: 'account', account: each }))];
    for (const created of [2, 0]) expect(JSON.parse(await outcomeOf(lines, copy))).to.include({ created, unchanged: 2 - created });
  });
});

describe('exportAccounts', () => {
  it('writes the events of an account only with it, or with its deletion', async () => {
    const store = openSqliteStore(path.join(folder, 'store'));
    const add = (id: string, atMs: number): Promise<unknown> =>
      store.createAccount(sampleAccount(id), sampleEvent(`e-${id}`, id, { atMs }));
    const remove = (id: string, atMs: number) => store.deleteAccount(id, sampleEvent(`d-${id}`, id, { atMs, action: 'account.deleted' }));
    await add('kept', 10);
    await add('gone', 20);
    await remove('gone', 30);
    await store.appendEvent(sampleEvent('late', 'gone', { atMs: 31, action: 'account.login_failed' }));
    const lines: Line[] = [];
    for await (const text of exportAccounts(store, clock)) {
      lines.push(JSON.parse(text) as Line);
      // The accounts are read by now.
      if (lines.length === 2) for (const id of ['new', 'brief']) await add(id, 40);
      // The events are being read.
      if (lines.length === 3) await remove('brief', 50);
    }
    await store.close();
    const events = lines.flatMap(({ type, event }) => (type === 'event' ? [(event as AuditEvent).id] : []));
    expect(events).to.deep.equal(['late', 'd-gone', 'e-gone', 'e-kept']);
    writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    await checkTransferFile(file);
  });
});
