import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { expect } from 'chai';
import { MARKET_EXAMPLE, MARKET_FORECASTS_EXAMPLE } from '../../../../src/contract/markets.ts';
import { addForecast, EMPTY_TALLY } from '../../../../src/engine/live/score.ts';
import type { ForecastRow, Market, MarketState } from '../../../../src/service/markets/Market.ts';
import type { AccountStore } from '../../../../src/service/accounts/AccountStore.ts';
import { openSqliteStore } from '../../../../src/service/accounts/openSqliteStore.ts';
import { recordReader } from '../../../../src/service/accounts/transfer/accountRecords.ts';
import { allAccounts, exportAccounts } from '../../../../src/service/accounts/transfer/exportAccounts.ts';
import { importAccounts, type AccountImportOptions } from '../../../../src/service/accounts/transfer/importAccounts.ts';
import { FIRST_HEAD, headAfter, newSealKey, type SealedBlock } from '../../../../src/service/live/sealedChain.ts';
import { SealedForecasts } from '../../../../src/service/live/SealedForecasts.ts';
import { SeriesMemory } from '../../../../src/engine/memory/SeriesMemory.ts';
import type { ServiceError } from '../../../../src/core/ServiceError.ts';
import { FakeClock } from '../../../support/FakeClock.ts';
import { MemoryStore } from '../../../support/MemoryStore.ts';
import {
  SAMPLE_USE,
  sampleAccount,
  sampleDigest,
  sampleEvent,
  sampleKey,
  sampleRecord,
  sampleWebhook,
} from '../../../support/sampleAccount.ts';
import { ALERT_RULE_EXAMPLE } from '../../../../src/contract/alertRule.ts';
import { accountLine, eventLine, HEADER, type Line, transferText } from '../../../support/transferFile.ts';

const clock = new FakeClock();
let folder: string;
let file: string;

/** With all that a target may have. */
const RULED = sampleWebhook('1', { format: 'telegram', chatId: '42', rule: { ...ALERT_RULE_EXAMPLE, series: 'eurusd', touch: 1.09 } });

async function exported(store: AccountStore): Promise<Line[]> {
  let text = '';
  for await (const line of exportAccounts(store, clock)) text += line;
  expect(text.endsWith('\n')).to.equal(true);
  writeFileSync(file, text);
  return text.trimEnd().split('\n').map((line) => JSON.parse(line) as Line); // prettier-ignore
}

const write = (lines: readonly unknown[], end?: Line | null): void => writeFileSync(file, transferText(lines, end));
const imported = (store: AccountStore, options?: AccountImportOptions) => importAccounts(store, file, clock, options);
async function refusal(store: AccountStore = new MemoryStore(), options?: AccountImportOptions): Promise<string> {
  const error = await imported(store, options).then(() => undefined, (thrown: ServiceError) => thrown); // prettier-ignore
  return error === undefined ? 'nothing was refused' : `${error.code}: ${error.message.replace(file, 'FILE')}`;
}

before(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'tickmark-transfer-'));
  file = path.join(folder, 'accounts.jsonl');
});
after(() => rmSync(folder, { recursive: true, force: true }));

describe('watched markets in a transfer file', () => {
  const MARKET: Market = {
    ...{ id: 'm', exchange: 'binance', symbol: 'BTC/USDT', kind: 'trades', period: null, horizons: ['60s'], every: '5s' },
    ...{ costBps: 2, alert: null, createdAtMs: 1 },
  };
  const KEY = { accountId: 'a', id: 'm' };
  const [SAMPLE] = MARKET_FORECASTS_EXAMPLE.forecasts;
  const { state, reason, since, last_tick, price, ticks, spread_bps, forecasts } = MARKET_EXAMPLE;
  const tallies = { '60s': { since, threshold: 2, tally: addForecast(EMPTY_TALLY) } };
  const STATE: MarketState = { state, reason, since, last_tick, price, ticks, spread_bps, forecasts, tallies };
  const outcome = { moved: true, move_bps: 3, reason: null };
  const rowOf = (n: number): ForecastRow => ({
    ...KEY,
    forecast: { ...SAMPLE, n, change: n + 1, outcome: n % 2 === 0 ? outcome : null },
    pending: n % 2 === 0 ? null : { originUs: n, entry: 1, baselineProbability: 0.1, medianGapS: null, costBps: null, isOwn: true },
  });
  const rows = Array.from({ length: 250 }, (_, n) => rowOf(n));

  async function given(): Promise<Line[]> {
    const store = new MemoryStore();
    await store.createAccount(sampleAccount('a', { markets: [MARKET] }));
    await store.importMarkets({ forecasts: rows, states: [{ ...KEY, state: STATE, keepFrom: 0 }] });
    return exported(store);
  }

  it('go with all their forecasts, those that wait for an outcome, and their scores', async () => {
    const lines = await given();
    expect(lines.filter(({ type }) => type === 'forecasts')).to.have.length(3);
    const other = new MemoryStore();
    expect(await imported(other)).to.deep.include({ created: 1 });
    expect((await other.findAccount('a'))?.markets).to.deep.equal([MARKET]);
    expect(other.rows).to.deep.equal(rows);
    expect((await other.marketStates('a')).get('m')).to.deep.equal(STATE);
    expect((await exported(other)).slice(1, -1).filter(({ type }) => type !== 'event')).to.deep.equal(
      lines.slice(1, -1).filter(({ type }) => type !== 'event'),
    );
  });

  it('are watched only once all is written, and are left as they are where they are watched already', async () => {
    await given();
    const other = new MemoryStore();
    let isInterrupted = true;
    const { importMarkets } = other;
    other.importMarkets = async (some) => {
      expect(await other.listMarkets()).to.deep.equal([]);
      if (isInterrupted && some.states.length > 0) throw new Error('interrupted');
      await importMarkets.call(other, some);
    };
    await imported(other).catch(() => {});
    expect((await other.marketStates('a')).size).to.equal(0);
    isInterrupted = false;
    await imported(other);
    expect([(await other.listMarkets()).length, other.rows.length]).to.deep.equal([1, 250]);
    other.rows = [];
    await imported(other);
    expect(other.rows).to.deep.equal([]);
  });

  it('are refused where they belong to no market of their account, or do not fit together', async () => {
    const lines = (await given()).slice(0, -1);
    const changed = (change: (line: Line) => Line): void => write(lines.map((line) => change(structuredClone(line))));
    changed((line) => (line['type'] === 'market' ? { ...line, id: 'other' } : line));
    expect(await refusal()).to.match(/backup.refused: .*a market is not of the account before it/);
    changed((line) => (line['type'] === 'forecasts' ? { ...line, rows: [{ ...rowOf(1), pending: 'x' }] } : line));
    expect(await refusal()).to.match(/backup.refused: .*pending/);
    const tally = { ...EMPTY_TALLY, outcomes: 1, hits: 5 };
    changed((line) =>
      line['type'] === 'market' ? { ...line, state: { ...STATE, tallies: { x: { since, threshold: 1, tally } } } } : line,
    );
    expect(await refusal()).to.include('tallies must have counts and sums that fit together');
  });
});

describe('exportAccounts', () => {
  it('writes all accounts with their records, and all events, however many pages they have', async () => {
    const store = openSqliteStore(path.join(folder, 'large'));
    for (let i = 0; i < 201; i++) await store.createAccount(sampleAccount(`a${i}`), sampleEvent(`e${i}`, `a${i}`, { atMs: i }));
    await store.importRecords(Array.from({ length: 100 }, (_, i) => sampleRecord('a0', { series: `s${i}` })));
    await store.importRecords([...Array.from({ length: 100 }, (_, i) => sampleRecord('a1', { series: `s${i}` })), sampleRecord('a1', { series: 'x' })]); // prettier-ignore
    const lines = await exported(store);
    await store.close();
    expect(lines[0]).to.deep.equal({ type: 'header', format: 'tickmark-accounts/5', createdAtMs: clock.nowMs() });
    const of = (type: string): Line[] => lines.filter((line) => line['type'] === type);
    const emails = of('account').map(({ account }) => (account as { emailKey: string }).emailKey);
    expect(emails).to.deep.equal(Array.from({ length: 201 }, (_, i) => `a${i}@example.com`).sort());
    expect(of('records').map(({ rows }) => (rows as { accountId: string }[]).map(({ accountId }) => accountId)).map((ids) => [ids[0], ids.length])).to.deep.equal([['a0', 100], ['a1', 100], ['a1', 1]]); // prettier-ignore
    // The records of an account follow it.
    expect(lines.findIndex(({ type }) => type === 'records')).to.equal(2);
    expect(of('event').map(({ event }) => (event as { id: string }).id)).to.deep.equal(
      Array.from({ length: 201 }, (_, i) => `e${200 - i}`),
    );
    expect(lines.at(-1)).to.deep.include({ type: 'end', accounts: 201, events: 201 });

    const copy = openSqliteStore(path.join(folder, 'copy'));
    expect(await imported(copy)).to.deep.equal({ created: 201, unchanged: 0, skipped: 0, events: 201 });
    expect(await imported(copy), 'once more').to.deep.equal({ created: 0, unchanged: 201, skipped: 0, events: 201 });
    // With one event more for each account.
    expect((await exported(copy)).filter(({ type }) => type !== 'event').slice(1, -1)).to.deep.equal(lines.filter(({ type }) => type !== 'event').slice(1, -1)); // prettier-ignore
    await copy.close();
  });

  it('lists the accounts of one company, page by page', async () => {
    const store = new MemoryStore();
    for (let i = 0; i < 200; i++) await store.createAccount(sampleAccount(`a${i}`, { companyId: i % 4 === 0 ? 'x' : 'y' }));
    const ids: string[] = [];
    for await (const { id } of allAccounts(store, 'x')) ids.push(id);
    expect(ids).to.have.length(50);
    const before = store.calls;
    for await (const { id } of allAccounts(store)) ids.push(id);
    expect([ids.length, store.calls - before]).to.deep.equal([250, 2]);
  });
});

describe('importAccounts', () => {
  it('goes on with the chains of sealed forecasts and with their key, and never forks a chain', async () => {
    const [from, to] = [new MemoryStore(), new MemoryStore()];
    await from.createAccount(sampleAccount('a'));
    const sealed = (store: MemoryStore): SealedForecasts => new SealedForecasts({ store, clock, newBatchId: randomUUID, mostLines: 1000 });
    const [source, target] = [sealed(from), sealed(to)];
    const grow = async (one: SealedForecasts): Promise<void> => {
      one.add('a', one === source ? '[1]' : '[2]');
      await one.write();
    };
    await grow(source);
    const key = await from.sealKey(newSealKey());
    await exported(from);
    await imported(to);
    expect([to.sealed, to.sealedKey]).to.deep.equal([from.sealed, key]);
    for (const one of [target, source, source]) await grow(one);
    await exported(from);
    await imported(to);
    expect(to.sealed.map(({ first, n }) => [first, n])).to.deep.equal([[0, 1], [1, 2]]); // prettier-ignore
    expect(to.sealed[1]?.previous).to.equal(to.sealed[0]?.head);
  });

  it('copies the memory of series', async () => {
    const [from, to] = [new MemoryStore(), new MemoryStore()];
    await from.createAccount(sampleAccount('a'));
    const memory = new SeriesMemory();
    memory.push(1e15, 100);
    const bytes = memory.save();
    // One that cannot be read would begin again.
    const broken = { accountId: 'a', series: 'usdjpy', bytes: Uint8Array.of(0, 128, 255) };
    await from.importMemories([{ accountId: 'a', series: 'eurusd', bytes }, broken], 0);
    await exported(from);
    await imported(to);
    expect((await to.listMemories('a')).map(({ series, bytes: copied }) => [series, ...copied])).to.deep.equal([['eurusd', ...bytes]]);
  });

  it('writes accounts, records and events, and an event of its own for each account', async () => {
    const store = new MemoryStore();
    write([
      HEADER,
      accountLine('a', { webhooks: [RULED], keys: [sampleKey('a', { use: SAMPLE_USE })] }),
      { type: 'records', rows: [sampleRecord('a', { addedDay: '2026-11-25' })] },
      accountLine('b'),
      eventLine('e'),
    ]);
    expect(await imported(store)).to.deep.equal({ created: 2, unchanged: 0, skipped: 0, events: 1 });
    expect([...store.accounts.values()]).to.deep.equal([
      sampleAccount('a', { webhooks: [RULED], keys: [sampleKey('a', { use: SAMPLE_USE })] }),
      sampleAccount('b'),
    ]);
    expect(store.records).to.deep.equal([sampleRecord('a', { addedDay: '2026-11-25' })]);
    expect(store.events.map(({ action, actor, accountId, requestId, atMs }) => [action, actor, accountId, requestId, atMs])).to.deep.equal([
      ['account.imported', 'operator', 'a', null, clock.nowMs()],
      ['account.imported', 'operator', 'b', null, clock.nowMs()],
      ['account.created', 'owner', 'a', null, sampleEvent('e', 'a').atMs],
    ]);
  });

  it('reads the format of an earlier release', async () => {
    const { tally, ...key } = sampleRecord('a', { tally: { outcomes: 4, marks: 3 } });
    const { markOverlapSum: _, ...known } = tally;
    write([{ ...HEADER, format: 'tickmark-accounts/1' }, accountLine('a'), { type: 'records', rows: [{ ...key, tally: known }] }]);
    const store = new MemoryStore();
    expect(await imported(store)).to.include({ created: 1 });
    expect((await store.listRecords({ accountId: 'a', limit: 2 })).map((row) => row.tally)).to.deep.equal([tally]);
  });

  const A = sampleAccount('a', { webhooks: [sampleWebhook('1')] });
  const differences: [what: string, existing: Parameters<typeof sampleAccount>[1], isSame: boolean][] = [
    ['nothing', {}, true],
    ['the last use of a key', { keys: [sampleKey('a', { lastUsedAtMs: 5 })] }, true],
    ['the counted use of a key', { keys: [sampleKey('a', { use: SAMPLE_USE })] }, true],
    ['the alert that a target was sent', { webhooks: [sampleWebhook('1', { recordIsWorse: true })] }, true],
    ['the id', { id: 'z' }, false],
    ['the spelling of the e-mail', { email: 'A@example.com' }, false],
    ['the company', { companyId: 'x' }, false],
    ['the password', { passwordHash: '$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$b3RoZXI' }, false],
    ['the time of the sign-up', { createdAtMs: 9 }, false],
    ['whether it is disabled', { disabledAtMs: 9 }, false],
    ['a key', { keys: [] }, false],
    ...(['id', 'name', 'digest'] as const).map((name) => [`the ${name} of a key`, { keys: [sampleKey('a', { [name]: sampleDigest('x') })] }, false] as const), // prettier-ignore
    ...(['createdAtMs', 'expiresAtMs', 'revokedAtMs', 'graceUntilMs'] as const).map((name) => [`${name} of a key`, { keys: [sampleKey('a', { [name]: 9 })] }, false] as const), // prettier-ignore
    ['the targets of alerts', { webhooks: [] }, false],
    ...(['id', 'url', 'secret'] as const).map((name) => [`the ${name} of a target`, { webhooks: [sampleWebhook('1', { [name]: 'x' })] }, false] as const), // prettier-ignore
    ['the alerts of a target', { webhooks: [sampleWebhook('1', { events: [] })] }, false],
  ] as [string, Parameters<typeof sampleAccount>[1], boolean][];
  for (const [what, existing, isSame] of differences)
    it(`takes an account that differs in ${what} for ${isSame ? 'the same' : 'another one'}`, async () => {
      const store = new MemoryStore();
      await store.createAccount({ ...A, ...existing });
      write([HEADER, { type: 'account', account: A }, accountLine('b')]);
      const conflict = 'accounts.conflict: These accounts already exist with different data: a@Example.com.';
      if (isSame) expect(await imported(store)).to.deep.equal({ created: 1, unchanged: 1, skipped: 0, events: 0 });
      else {
        expect(await refusal(store)).to.equal(conflict);
        expect(store.accounts.size, 'nothing is written').to.equal(1);
      }
    });

  it('skips accounts with other data if it is told to', async () => {
    const store = new MemoryStore();
    await store.createAccount(sampleAccount('a', { companyId: 'x' }));
    write([HEADER, accountLine('a'), accountLine('b')]);
    expect(await imported(store, { skipsExisting: true })).to.deep.equal({ created: 1, unchanged: 0, skipped: 1, events: 0 });
    expect(store.accounts.get('a')?.companyId).to.equal('x');
  });

  it('finds a conflict by e-mail, id, key and digest of a key', async () => {
    const others: Parameters<typeof sampleAccount>[1][] = [
      { id: 'x', keys: [] },
      { emailKey: 'x', keys: [] },
      { id: 'x', emailKey: 'x', keys: [sampleKey('a', { id: 'x' })] },
      { id: 'x', emailKey: 'x', keys: [sampleKey('a', { digest: sampleDigest('x') })] },
    ];
    for (const other of others) {
      const store = new MemoryStore();
      await store.createAccount(sampleAccount('a', other));
      write([HEADER, accountLine('a', { keys: [sampleKey('b'), sampleKey('a')] })]);
      expect(await refusal(store)).to.match(/^accounts\.conflict/);
    }
    const store = new MemoryStore();
    await store.createAccount(sampleAccount('x'));
    write([HEADER, accountLine('a')]);
    expect(await imported(store)).to.include({ created: 1 });
  });

  it('names 10 conflicts', async () => {
    for (const [count, end] of [
      [10, 'a19@Example.com.'],
      [12, 'a19@Example.com and 2 more.'],
    ] as const) {
      // prettier-ignore
      const store = new MemoryStore();
      const ids = Array.from({ length: count }, (_, i) => `a${10 + i}`);
      for (const id of ids) await store.createAccount(sampleAccount(id, { companyId: 'x' }));
      write([HEADER, ...ids.map((id) => accountLine(id))]);
      expect(await refusal(store)).to.match(/different data: a10@Example\.com, a11/).and.to.satisfy((text: string) => text.endsWith(end)); // prettier-ignore
    }
  });

  it('skips an account whose e-mail was taken while it was imported', async () => {
    const store = new MemoryStore();
    store.createAccount = () => Promise.resolve('email_taken');
    write([HEADER, accountLine('a')]);
    expect(await imported(store)).to.deep.equal({ created: 0, unchanged: 0, skipped: 1, events: 0 });
  });

  const DIGEST = '0'.repeat(64);
  const wrong: [what: string, make: () => void, says: string][] = [
    ['without its last line', () => write([HEADER, accountLine('a')], null), 'its last line is missing: the export was not completed'],
    ['that is empty', () => writeFileSync(file, ''), 'its last line is missing: the export was not completed'],
    ['cut within a line', () => writeFileSync(file, JSON.stringify(HEADER)), 'it ends in the middle of a line'],
    ['with other bytes', () => write([HEADER, accountLine('a')], { sha256: DIGEST }), 'its bytes have changed since the export (SHA-256 differs)'],
    ['without an account', () => write([HEADER, accountLine('a')], { accounts: 2 }), 'lines are missing'],
    ['without an event', () => write([HEADER, accountLine('a'), eventLine('e')], { events: 2 }), 'lines are missing'],
    ['without a header', () => write([accountLine('a')]), 'line 1: the header must be the first line, and only that'],
    ['with two headers', () => write([HEADER, HEADER]), 'line 2: the header must be the first line, and only that'],
    ['with a line after its end', () => { write([HEADER]); writeFileSync(file, `${JSON.stringify(HEADER)}\n`, { flag: 'a' }); }, 'line 3 is after the end'],
    ['with an e-mail twice', () => write([HEADER, accountLine('a'), accountLine('b', { email: 'a@Example.com', emailKey: 'a@example.com' })]), 'line 3: an e-mail occurs twice'],
    ['with a wrong form of an e-mail', () => write([HEADER, accountLine('a', { emailKey: 'b@example.com' })]), 'line 2: the normalised form does not match the e-mail'],
    ['with a long line', () => write([HEADER, 'x'.repeat(1_100_000)]), 'a line has more than 1000000 bytes'],
  ]; // prettier-ignore
  for (const [what, make, says] of wrong)
    it(`refuses a file ${what}, and writes nothing`, async () => {
      make();
      const store = new MemoryStore();
      expect(await refusal(store)).to.include(`backup.refused: FILE: ${says}`);
      expect([store.accounts.size, store.events.length]).to.deep.equal([0, 0]);
    });

  it('says that a file cannot be read', async () => {
    rmSync(file, { force: true });
    expect(await refusal()).to.match(/^file\.unreadable: FILE cannot be read: ENOENT/);
  });

  it('refuses a password hash that would cost hours, before anything is changed (row 89)', async () => {
    write([HEADER, accountLine('a'), accountLine('b', { passwordHash: '$argon2id$v=19$m=65536,t=2000000,p=1$c2FsdA$aGFzaA' })]);
    expect(await refusal()).to.match(/^backup\.refused: FILE: line 3: the password hash is not argon2id with one lane/);
  });

  it('names the line that it cannot read', async () => {
    write([HEADER, accountLine('a'), '{']);
    expect(await refusal()).to.equal('backup.refused: FILE: line 3: it is not JSON.');
  });
});

const BLOCK: SealedBlock = {
  ...{ accountId: 'a', first: 0, n: 1, atMs: 1, previous: FIRST_HEAD, head: headAfter(FIRST_HEAD, 1, '[1]\n') },
  ...{ batch: 'b', lines: '[1]\n' },
};

describe('recordReader', () => {
  const read = recordReader();

  it('gives each line as it was written', () => {
    for (const line of [
      HEADER,
      { ...HEADER, format: 'tickmark-accounts/1' },
      accountLine('a', { webhooks: [sampleWebhook('1')] }),
      eventLine('e'),
      { type: 'records', rows: [sampleRecord('a')] },
      { type: 'sealed', block: BLOCK },
      { type: 'seal_key', key: newSealKey() },
    ])
      // prettier-ignore
      expect(read(JSON.stringify(line))).to.deep.equal(line);
  });

  it('says what is no line', () => {
    const unknown = 'it is not a header, account, track record, memory, sealed block, market, event or end';
    for (const [text, says] of [
      ['{', 'it is not JSON'],
      ['null', unknown],
      ['3', unknown],
      ['{}', unknown],
      ['{"type":"toString"}', unknown],
      ['{"type":1}', unknown],
    ] as const)
      // prettier-ignore
      expect(read(text)).to.equal(says);
    expect(read(JSON.stringify({ ...HEADER, format: 'tickmark-accounts/6' }))).to.match(/^\/format must be/);
    expect(read(JSON.stringify({ ...HEADER, more: 1 }))).to.equal('must NOT have additional properties');
  });

  /** One wrong value in each field of a transfer file. */
  const fields: [line: () => Line, pointer: string][] = [
    ...Object.entries({ id: '', email: 'x', emailKey: 'x', companyId: 1, passwordHash: 'plain', createdAtMs: -1, disabledAtMs: 'x', keys: {}, webhooks: {}, more: 1 }).map(([name, value]) => [() => accountLine('a', { [name]: value }), name === 'more' ? '/account' : `/account/${name}`] as const),
    ...Object.entries({ id: 'x'.repeat(65), digest: 'x', prefix: 'x', name: 1, createdAtMs: 0.5, expiresAtMs: -1, revokedAtMs: 'x', graceUntilMs: 'x', lastUsedAtMs: 'x', more: 1 }).map(([name, value]) => [() => accountLine('a', { keys: [{ ...sampleKey('a'), [name]: value }] }), name === 'more' ? '/account/keys/0' : `/account/keys/0/${name}`] as const),
    ...Object.entries({ id: '', url: 1, secret: 'x', createdAtMs: -1, recordIsWorse: 1, more: 1 }).map(([name, value]) => [() => accountLine('a', { webhooks: [{ ...sampleWebhook('1'), [name]: value }] }), name === 'more' ? '/account/webhooks/0' : `/account/webhooks/0/${name}`] as const),
    ...Object.entries({ batch: 1, days: 'x', more: 1 }).map(([name, value]) => [() => accountLine('a', { keys: [sampleKey('a', { use: { ...SAMPLE_USE, [name]: value } })] }), name === 'more' ? '/account/keys/0/use' : `/account/keys/0/use/${name}`] as const),
    ...Object.entries({ day: '2026-1-1', forecasts: -1, refused: 0.5, more: 1 }).map(([name, value]) => [() => accountLine('a', { keys: [sampleKey('a', { use: { batch: 'b', days: [{ ...SAMPLE_USE.days[0], [name]: value }] } })] }), name === 'more' ? '/account/keys/0/use/days/0' : `/account/keys/0/use/days/0/${name}`] as const),
    [() => accountLine('a', { webhooks: [sampleWebhook('1', { events: ['x' as never] })] }), '/account/webhooks/0/events/0'],
    [() => accountLine('a', { webhooks: Array.from({ length: 6 }, (_, i) => sampleWebhook(`${i}`)) }), '/account/webhooks'],
    [() => accountLine('a', { keys: Array.from({ length: 201 }, (_, i) => sampleKey(`${i}`)) }), '/account/keys'],
    ...Object.entries({ id: '', atMs: -1, action: 'x', actor: 'x', accountId: '', keyId: 1, requestId: 1, more: 1 }).map(([name, value]) => [() => ({ type: 'event', event: { ...sampleEvent('e', 'a'), [name]: value } }), name === 'more' ? '/event' : `/event/${name}`] as const),
    ...Object.entries({ accountId: '', series: '', model: '', bucket: '', ownThreshold: 1, day: '2026-1-1', addedDay: 'today', more: 1 }).map(([name, value]) => [() => ({ type: 'records', rows: [{ ...sampleRecord('a'), [name]: value }] }), name === 'more' ? '/rows/0' : `/rows/0/${name}`] as const),
    ...['forecasts', 'outcomes', 'unscored', 'marks', 'hits', 'moved', 'brierSum', 'baselineBrierSum', 'squaredDifferenceSum'].map((name) => [() => ({ type: 'records', rows: [sampleRecord('a', { tally: { [name]: -1 } })] }), `/rows/0/tally/${name}`] as const),
    [() => ({ type: 'records', rows: [sampleRecord('a', { tally: { bins: [{ tenth: 10, outcomes: 1, moved: 1, probabilitySum: 1 }] } })] }), '/rows/0/tally/bins/0/tenth'],
    [() => ({ type: 'records', rows: [sampleRecord('a', { tally: { coverage: [{ level: 1, outcomes: 1, covered: 1, overlapSum: 1 }] } })] }), '/rows/0/tally/coverage/0/level'],
    [() => ({ type: 'records', rows: [sampleRecord('a', { tally: { bins: [{ tenth: 1, outcomes: 1, moved: 1 } as never] } })] }), '/rows/0/tally/bins/0'],
    [() => ({ type: 'records', rows: [sampleRecord('a', { tally: { marks: 1 } })] }), '/rows/0/tally'],
    [() => ({ type: 'records', rows: [sampleRecord('a'), sampleRecord('a', { tally: { bins: [{ tenth: 1, outcomes: 1, moved: 1, probabilitySum: 0.15 }] } })] }), '/rows/1/tally'],
    [() => ({ type: 'records', rows: [] }), '/rows'],
    ...Object.entries({ accountId: '', first: -1, n: 2, atMs: 0.5, previous: 'f'.repeat(64), head: 'f'.repeat(64), batch: '', lines: '[1]', more: 1 }).map(([name, value]) => [() => ({ type: 'sealed', block: { ...BLOCK, [name]: value } }), name === 'more' ? '/block' : `/block/${name === 'n' ? 'lines' : name === 'previous' ? 'head' : name}`] as const),
    [() => ({ type: 'seal_key', key: 'x' }), '/key'],
    [() => ({ type: 'memory', accountId: 'a', series: 's', bytes: 'AQAAAA==' }), '/bytes'],
    [() => ({ type: 'memory', accountId: 'a b', series: 's', bytes: 'AQAAAA==' }), '/accountId'],
    [() => accountLine('a', { createdAtMs: 1e17 }), '/account/createdAtMs'],
    [() => ({ type: 'records', rows: Array.from({ length: 101 }, () => sampleRecord('a')) }), '/rows'],
  ] as [() => Line, string][]; // prettier-ignore
  for (const [line, pointer] of fields)
    it(`names ${pointer} if it is wrong, and never its value`, () => {
      expect(read(JSON.stringify(line()))).to.match(new RegExp(`^${pointer} must (?!.*x)`));
    });
});
