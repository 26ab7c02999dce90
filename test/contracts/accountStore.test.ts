import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { expect } from 'chai';
import type { Account, AccountStore } from '../../src/service/accounts/AccountStore.ts';
import type { AuditEvent } from '../../src/service/accounts/AuditEvent.ts';
import { KeyUses } from '../../src/service/accounts/KeyUses.ts';
import { ServiceError } from '../../src/core/ServiceError.ts';
import { bundleScript } from '../support/bundleScript.ts';
import { FakeClock } from '../support/FakeClock.ts';
import { serviceErrorOf } from '../support/serviceErrorOf.ts';
import { describeEachStore, type StoreLocation } from '../support/eachStore.ts';
import {
  SAMPLE_USE,
  sampleAccount,
  sampleDelivery,
  sampleDigest,
  sampleEvent,
  sampleKey,
  sampleRecord,
  sampleWebhook,
} from '../support/sampleAccount.ts';

let writer: Promise<string> | undefined;

/** Runs a writer until it has printed `lineCount` lines, kills it, and returns all its lines. */
async function killedWriter({ kind, place }: StoreLocation, label: string, lineCount: number, children: ChildProcess[]): Promise<string[]> {
  const script = await (writer ??= bundleScript('test/support/accountWriter.ts'));
  const child = spawn(process.execPath, [script, kind, place, label], { stdio: ['ignore', 'pipe', 'pipe'] });
  children.push(child);
  let complaint = '';
  child.stderr.on('data', (chunk) => (complaint += String(chunk)));
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    if (lines.length === lineCount) child.kill('SIGKILL');
  }
  expect(lines.length, complaint).to.be.at.least(lineCount);
  return lines;
}

/** Contract of every account store (see the port). */
describeEachStore('account store', ({ open, location }) => {
  let children: ChildProcess[];

  beforeEach(() => (children = []));
  afterEach(() => children.forEach((child) => child.kill('SIGKILL')));

  describe('finding', () => {
    it('returns an account and its keys as they were stored, by every lookup', async () => {
      const store = await open();
      const dated = sampleKey('a', { name: 'laptop', expiresAtMs: 4_102_444_800_000, revokedAtMs: 1_704_067_200_999 });
      const other = sampleKey('b', {
        graceUntilMs: 1_704_067_999_999,
        lastUsedAtMs: 1_704_067_200_000,
        use: SAMPLE_USE,
        name: '鍵 "; DROP TABLE api_keys; --',
      });
      const account = sampleAccount('a', {
        email: 'Zoë.O’Neil+x@Exämple.com',
        companyId: '株式会社 "; DROP TABLE accounts; --',
        disabledAtMs: 1_704_067_200_777,
        keys: [dated, other],
      });
      expect(await store.createAccount(account)).to.equal('created');
      await store.createAccount(sampleAccount('z'));
      expect(await store.findAccount('a')).to.deep.equal(account);
      expect(await store.findAccountByEmailKey(account.emailKey)).to.deep.equal(account);
      const { use: _use, ...plain } = other;
      expect(await store.findAccountByDigest(other.digest), 'without the use').to.deep.equal({ ...account, keys: [dated, plain] });
      expect(await store.findAccountByKeyId(dated.id)).to.deep.equal(account);
    });

    it('distinguishes missing values from empty ones, and stores an account without keys', async () => {
      const store = await open();
      const accounts = [
        sampleAccount('a', { companyId: '', keys: [sampleKey('a', { name: '' })] }),
        sampleAccount('b'),
        sampleAccount('c', { keys: [] }),
        sampleAccount('d', { keys: [] }),
      ];
      for (const account of accounts) expect(await store.createAccount(account)).to.equal('created');
      for (const account of accounts) expect(await store.findAccount(account.id)).to.deep.equal(account);
    });

    it('returns undefined for an unknown account or key', async () => {
      const store = await open();
      const account = sampleAccount('a');
      await store.createAccount(account);
      expect(await store.findAccount('b')).to.equal(undefined);
      expect(await store.findAccountByEmailKey(account.emailKey.toUpperCase())).to.equal(undefined);
      for (const digest of ['', sampleDigest('a').slice(1), sampleDigest('b')])
        expect(await store.findAccountByDigest(digest)).to.equal(undefined);
      expect(await store.findAccountByKeyId('a')).to.equal(undefined);
    });

    it('lists accounts page by page in the order of their e-mails, optionally of one company', async () => {
      const store = await open();
      for (const id of ['c', 'a', 'e', 'b', 'd']) await store.createAccount(sampleAccount(id, { companyId: id < 'c' ? 'desk' : null }));
      const idsOf = async (page: Parameters<AccountStore['listAccounts']>[0]): Promise<string> =>
        (await store.listAccounts(page)).map(({ id }) => id).join('');
      expect(await idsOf({ limit: 2 })).to.equal('ab');
      expect(await idsOf({ limit: 2, after: 'b@example.com' })).to.equal('cd');
      expect(await idsOf({ limit: 2, after: 'd@example.com' })).to.equal('e');
      expect(await idsOf({ limit: 9, companyId: 'desk' })).to.equal('ab');
      expect(await idsOf({ limit: 9, companyId: 'Desk' })).to.equal('');
      expect(await store.listAccounts({ limit: 1 })).to.deep.equal([sampleAccount('a', { companyId: 'desk' })]);
    });
  });

  describe('creating', () => {
    it('refuses a second account for an e-mail, without a change of the first and without an event', async () => {
      const store = await open();
      const first = sampleAccount('a');
      const second = sampleAccount('b', { emailKey: first.emailKey });
      expect(await store.createAccount(first, sampleEvent('1', 'a'))).to.equal('created');
      expect(await store.createAccount(second, sampleEvent('2', 'b'))).to.equal('email_taken');
      expect(await store.findAccountByEmailKey(first.emailKey)).to.deep.equal(first);
      expect(await store.findAccount('b')).to.equal(undefined);
      expect(await store.findAccountByDigest(sampleDigest('b'))).to.equal(undefined);
      expect(await store.listEvents({ limit: 9 })).to.deep.equal([sampleEvent('1', 'a')]);
    });

    it('accepts exactly one of 50 concurrent sign-ups for one e-mail over two handles (row 22)', async () => {
      const stores = [await open(), await open()];
      const tries = Array.from({ length: 50 }, (_, i) => sampleAccount(`a${i}`, { emailKey: 'same@example.com' }));
      const outcomes = await Promise.all(
        tries.map((account, i) => (stores[i % 2] as AccountStore).createAccount(account, sampleEvent(`e${i}`, account.id))),
      );
      expect(outcomes.filter((outcome) => outcome === 'created')).to.have.length(1);
      const winner = tries[outcomes.indexOf('created')];
      expect(await stores[0]?.findAccountByEmailKey('same@example.com')).to.deep.equal(winner);
      const holders = await Promise.all(tries.map(({ id }) => stores[1]?.findAccountByDigest(sampleDigest(id))));
      expect(holders.filter((holder) => holder !== undefined)).to.deep.equal([winner]);
      expect((await stores[0]?.listEvents({ limit: 99 }))?.map(({ accountId }) => accountId)).to.deep.equal([winner?.id]);
    });
  });

  describe('changing', () => {
    const rename = (name: string) => (account: Account) => ({ account: { ...account, keys: [...account.keys, sampleKey(name)] } });

    it('writes every changeable field, adds, changes and removes keys, and stores the event', async () => {
      const store = await open();
      await store.createAccount(sampleAccount('a', { keys: [sampleKey('1'), sampleKey('2'), sampleKey('3')] }));
      const after = sampleAccount('a', {
        companyId: 'desk',
        passwordHash: '$argon2id$v=19$m=65536,t=3,p=1$c2FsdA$aGFzaA',
        disabledAtMs: 5,
        keys: [sampleKey('2', { revokedAtMs: 7, lastUsedAtMs: 8, use: SAMPLE_USE }), sampleKey('3'), sampleKey('4', { graceUntilMs: 9 })],
      });
      const changed = await store.changeAccount('a', () => ({ account: after, event: sampleEvent('1', 'a', { action: 'key.issued' }) }));
      expect(changed).to.deep.equal(after);
      expect(await store.findAccount('a')).to.deep.equal(after);
      expect(await store.findAccountByDigest(sampleDigest('1')), 'a key that was dropped').to.equal(undefined);
      expect((await store.findAccountByDigest(sampleDigest('4')))?.id).to.equal('a');
      expect((await store.listEvents({ limit: 9 })).map(({ action }) => action)).to.deep.equal(['key.issued']);
    });

    it('keeps the targets of alerts with the account, and forgets them with the last one', async () => {
      const store = await open();
      const webhooks = [sampleWebhook('1'), sampleWebhook('2', { events: ['record.worse'], recordIsWorse: true })];
      await store.createAccount(sampleAccount('a', { webhooks }));
      expect(await store.findAccount('a')).to.deep.equal(sampleAccount('a', { webhooks }));
      const one = sampleAccount('a', { webhooks: webhooks.slice(1) });
      expect(await store.changeAccount('a', () => ({ account: one }))).to.deep.equal(one);
      await store.changeAccount('a', (account) => ({ account: { ...account, webhooks: [] } }));
      expect(await store.findAccountByKeyId('key-of-a')).to.deep.equal(sampleAccount('a'));
    });

    it('loses none of 30 concurrent changes over two handles', async () => {
      const stores = [await open(), await open()];
      await stores[0]?.createAccount(sampleAccount('a', { keys: [] }));
      await Promise.all(
        Array.from({ length: 30 }, (_, i) =>
          stores[i % 2]?.changeAccount('a', (account) => ({ ...rename(`${i}`)(account), event: sampleEvent(`e${i}`, 'a') })),
        ),
      );
      expect((await stores[0]?.findAccount('a'))?.keys.map(({ id }) => id).sort()).to.deep.equal(
        Array.from({ length: 30 }, (_, i) => `key-of-${i}`).sort(),
      );
      expect(await stores[1]?.listEvents({ limit: 99 }), 'one event for each').to.have.length(30);
    });

    it('adds up what several processes count of the keys of an account, also while its keys change (row 94)', async () => {
      const stores = [await open(), await open()];
      await stores[0].createAccount(sampleAccount('a', { keys: [sampleKey('1'), sampleKey('2')] }));
      const processes = Array.from({ length: 4 }, (_, i) => new KeyUses(stores[i % 2], new FakeClock()));
      for (let round = 1; round <= 3; round++) {
        for (const [i, uses] of processes.entries())
          for (const key of ['1', '2']) uses.count({ accountId: 'a', keyId: `key-of-${key}` }, 10 ** i, round, '2026-11-23');
        await Promise.all([...processes.map((uses) => uses.write()), stores[1].changeAccount('a', rename(`new-${round}`))]);
      }
      const { keys = [] } = (await stores[0].findAccount('a')) ?? {};
      expect(keys.map(({ use }) => use?.days ?? [])).to.deep.equal([
        ...Array<unknown>(2).fill([{ day: '2026-11-23', forecasts: 3333, refused: 24 }]),
        ...[[], [], []],
      ]);
    });

    it('changes nothing if the change function declines or throws, and passes its error on', async () => {
      const store = await open();
      await store.createAccount(sampleAccount('a'));
      expect(await store.changeAccount('a', () => undefined)).to.deep.equal(sampleAccount('a'));
      const refuse = (): never => {
        throw new ServiceError('key.unknown', 'No such key.');
      };
      expect((await serviceErrorOf(store.changeAccount('a', refuse))).code).to.equal('key.unknown');
      expect(await store.findAccount('a')).to.deep.equal(sampleAccount('a'));
      expect(await store.changeAccount('b', rename('b'))).to.equal(undefined);
      expect(await store.listEvents({ limit: 9 })).to.deep.equal([]);
    });

    it('deletes an account with its keys, once, and keeps its events', async () => {
      const store = await open();
      await store.createAccount(sampleAccount('a'), sampleEvent('1', 'a'));
      await store.createAccount(sampleAccount('b'));
      const gone = sampleEvent('2', 'a', { action: 'account.deleted', atMs: 1_704_067_200_124 });
      expect(await store.deleteAccount('a', gone)).to.equal(true);
      expect(await store.deleteAccount('a', { ...gone, id: '3' })).to.equal(false);
      for (const found of [store.findAccount('a'), store.findAccountByDigest(sampleDigest('a')), store.findAccountByKeyId('key-of-a')])
        expect(await found).to.equal(undefined);
      expect(await store.findAccount('b')).to.deep.equal(sampleAccount('b'));
      expect(await store.listEvents({ limit: 9 })).to.deep.equal([gone, sampleEvent('1', 'a')]);
      expect(await store.createAccount(sampleAccount('c', { emailKey: 'a@example.com' })), 'the e-mail is free again').to.equal('created');
    });
  });

  describe('the audit log', () => {
    it('returns events newest first, of one account or since a time, and stores a repeated event once', async () => {
      const store = await open();
      const events = [1, 2, 3, 4].map((i) =>
        sampleEvent(`${i}`, i % 2 === 0 ? 'even' : 'odd', { atMs: i, actor: 'operator', keyId: `k${i}`, requestId: `r${i}` }),
      );
      for (const event of [...events, ...events]) await store.appendEvent(event);
      expect(await store.listEvents({ limit: 9 })).to.deep.equal(events.toReversed());
      expect((await store.listEvents({ limit: 9, accountId: 'odd' })).map(({ atMs }) => atMs)).to.deep.equal([3, 1]);
      expect((await store.listEvents({ limit: 9, sinceMs: 3 })).map(({ atMs }) => atMs)).to.deep.equal([4, 3]);
      expect(await store.listEvents({ limit: 1 })).to.deep.equal(events.slice(3));
      const twins = ['x', 'y', 'z'].map((id) => sampleEvent(id, 'twin', { atMs: 3 }));
      for (const event of twins) await store.appendEvent(event);
      const paged: string[] = [];
      for (let after: AuditEvent | undefined; ;) {
        const page = await store.listEvents({ limit: 2, sinceMs: 2, ...(after === undefined ? {} : { after }) });
        paged.push(...page.map(({ id }) => id));
        after = page.at(-1);
        if (after === undefined) break;
      }
      expect(paged.join('')).to.equal('43xyz2');
    });

    it('deletes only events that are older than the given time', async () => {
      const store = await open();
      for (const atMs of [1, 2, 3]) await store.appendEvent(sampleEvent(`${atMs}`, 'a', { atMs }));
      expect(await store.pruneEvents(3)).to.equal(2);
      expect((await store.listEvents({ limit: 9 })).map(({ atMs }) => atMs)).to.deep.equal([3]);
    });
  });

  it('shows an acknowledged write immediately to every handle', async () => {
    const [writer, reader] = [await open(), await open()];
    expect(await reader.findAccount('a')).to.equal(undefined);
    await writer.createAccount(sampleAccount('a'));
    expect(await reader.findAccountByDigest(sampleDigest('a'))).to.deep.equal(sampleAccount('a'));
  });

  it('counts its accounts', async () => {
    const store = await open();
    expect(await store.countAccounts()).to.equal(0);
    for (const id of ['a', 'b', 'c']) await store.createAccount(sampleAccount(id));
    await store.deleteAccount('b', sampleEvent('1', 'b'));
    expect(await store.countAccounts()).to.equal(2);
  });

  it('answers ping while open; after closing, every call throws store.unavailable, and closing again has no effect', async () => {
    const store = await open();
    await store.ping();
    await store.close();
    await store.close();
    const calls = [
      () => store.ping(),
      () => store.findAccount('a'),
      () => store.findAccountByEmailKey('a'),
      () => store.findAccountByDigest('a'),
      () => store.findAccountByKeyId('a'),
      () => store.listAccounts({ limit: 1 }),
      () => store.countAccounts(),
      () => store.createAccount(sampleAccount('a')),
      () => store.changeAccount('a', () => undefined),
      () => store.deleteAccount('a', sampleEvent('1', 'a')),
      () => store.appendEvent(sampleEvent('1', 'a')),
      () => store.listEvents({ limit: 1 }),
      () => store.pruneEvents(1),
      () => store.addRecords([sampleRecord('a')], '1'),
      () => store.importRecords([sampleRecord('a')]),
      () => store.listRecords({ accountId: 'a', limit: 1 }),
      () => store.pruneRecords('2026-01-01'),
      () => store.addDeliveries([sampleDelivery('1', 'a')]),
      () => store.claimDeliveries({ nowMs: 1, untilMs: 2, limit: 1, busy: [], served: [] }),
      () => store.settleDeliveries([]),
      () => store.postponeDeliveries([], 1),
      () => store.listFailed('w'),
      () => store.dropDeliveries('w'),
    ];
    for (const call of calls) expect((await serviceErrorOf(call())).code).to.equal('store.unavailable');
  });

  it('keeps every acknowledged write of three concurrent processes that are killed while they write', async function () {
    this.timeout(300_000);
    const kills = { a: 5, b: 40, c: 80 };
    const acknowledged = await Promise.all(Object.entries(kills).map(([label, count]) => killedWriter(location(), label, count, children)));
    const store = await open();
    const created = acknowledged.flatMap((lines, i) =>
      lines.filter((line) => line.startsWith('created ')).map((line) => ({ label: Object.keys(kills)[i], n: line.slice(8) })),
    );
    expect(new Set(created.map(({ n }) => n)).size, 'e-mails acknowledged once').to.equal(created.length);
    for (const { label, n } of created) {
      expect((await store.findAccountByEmailKey(`race-${n}@example.com`))?.id).to.equal(`${label}-${n}`);
    }
    const events = new Set((await store.listEvents({ limit: 100_000 })).map(({ accountId }) => accountId));
    const tried = Math.max(...acknowledged.map((lines) => lines.length));
    for (let n = 0; n <= tried; n++) {
      const account = await store.findAccountByEmailKey(`race-${n}@example.com`);
      if (n < tried) expect(account, `account ${n}`).to.not.equal(undefined);
      if (account === undefined) continue;
      expect((await store.findAccountByDigest(sampleDigest(account.id)))?.id, 'no account without its key').to.equal(account.id);
      expect(events.has(account.id), 'no account without its event').to.equal(true);
    }
  });
});
