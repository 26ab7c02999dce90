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

const last = <T>(list: readonly T[]): T => list.at(-1)!;
/** `k`: which of several. Each returns what the refusal says. */
const MUTATIONS: Record<string, (parts: Parts, k: number) => string> = {
  'a row of another account of the store': ({ rows }, k) => {
    const own = rows[k % rows.length];
    own[k % own.length] = { ...own[k % own.length], accountId: VICTIM };
    return 'a row of the track record is not of the account before it';
  },
  'a row of another account of the file': ({ rows }, k) => {
    rows[k % rows.length].push(sampleRecord(`a${10 + ((k + 1) % rows.length)}`, { series: 'new' }));
    return 'a row of the track record is not of the account before it';
  },
  'a row twice': ({ rows }, k) => {
    const own = rows[k % rows.length];
    own.push({ ...own[k % own.length] });
    return 'a row of the track record occurs twice';
  },
  'a memory of another account of the store': ({ memories }, k) => {
    const own = memories[k % memories.length];
    own[k % own.length] = { ...own[k % own.length], accountId: VICTIM };
    return 'a memory is not of the account before it';
  },
  'a memory twice': ({ memories }, k) => {
    const own = memories[k % memories.length];
    own.push({ ...own[k % own.length], bytes: MEMORIES[0] });
    return 'a memory occurs twice';
  },
  'an event of another account of the store': ({ events }, k) => {
    events[k % events.length] = { ...events[k % events.length], accountId: VICTIM };
    return 'the event is of an account of the store that the file does not contain';
  },
  'events of another account of the store, with its deletion': ({ events }, k) => {
    events[k % events.length] = { ...events[k % events.length], accountId: VICTIM, action: 'account.deleted' };
    return 'the event is of an account of the store that the file does not contain';
  },
  'the id of an event twice': ({ events }) => {
    events.push({ ...last(events), id: events[0].id, atMs: last(events).atMs - 1 });
    return 'the id of an event occurs twice';
  },
  'an event before a newer one': ({ events }) => {
    events.push({ ...last(events), id: 'later', atMs: last(events).atMs + 1 });
    return 'the events are not ordered, newest first';
  },
  'two events of one time in the wrong order': ({ events }) => {
    events.push({ ...last(events), id: 'a' });
    return 'the events are not ordered, newest first';
  },
  'the id of an account twice': ({ accounts }) => {
    accounts[1] = { ...accounts[1], id: accounts[0].id };
    return 'the id of an account occurs twice';
  },
  'an e-mail twice': ({ accounts }) => {
    accounts[1] = { ...accounts[1], email: accounts[0].email, emailKey: accounts[0].emailKey };
    return 'an e-mail occurs twice';
  },
  'accounts in the wrong order': (parts) => {
    for (const list of [parts.accounts, parts.rows, parts.memories]) list.reverse();
    return 'the accounts are not ordered by e-mail';
  },
  'the id of a key in two accounts': ({ accounts }) => {
    accounts[1] = { ...accounts[1], keys: [{ ...sampleKey('new'), id: accounts[0].keys[0].id }] };
    return 'the id of a key occurs twice';
  },
  'the digest of a key in two accounts': ({ accounts }) => {
    accounts[1] = { ...accounts[1], keys: [{ ...sampleKey('new'), digest: accounts[0].keys[0].digest }] };
    return 'the digest of a key occurs twice';
  },
  'the digest of a key twice in one account': ({ accounts }, k) => {
    const account = accounts[k % accounts.length];
    accounts[k % accounts.length] = { ...account, keys: [...account.keys, { ...account.keys[0], id: 'new' }] };
    return 'the digest of a key occurs twice';
  },
  'the id of a webhook in two accounts': ({ accounts }) => {
    accounts[1] = { ...accounts[1], webhooks: accounts[0].webhooks! };
    return 'the id of a webhook occurs twice';
  },
  'an account with a reserved id': ({ accounts, rows, memories }, k) => {
    [rows[0], memories[0]] = [[], []];
    accounts[0] = { ...accounts[0], id: ['none', 'all'][k % 2] };
    return 'the id of an account is reserved';
  },
};

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

  for (const [what, mutate] of Object.entries(MUTATIONS))
    it(`are refused, and nothing is written: ${what}`, () =>
      fc.assert(
        fc.asyncProperty(sizes, fc.nat(99), async (size, k) => {
          const parts = partsOf(...size);
          const says = mutate(parts, k);
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
