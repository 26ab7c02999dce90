import { spawn, type ChildProcess } from 'node:child_process';
import * as path from 'node:path';
import { createInterface } from 'node:readline';
import { expect } from 'chai';
import type { AccountStore } from '../../src/accounts/AccountStore.ts';
import { packageRoot } from '../../src/core/packageRoot.ts';
import { ServiceError } from '../../src/core/ServiceError.ts';
import type { StoreKind } from '../support/openNamedStore.ts';
import { sampleAccount, sampleDigest } from '../support/sampleAccount.ts';

type Durable = { readonly kind: StoreKind; readonly place: string };

export type StoreHarness = {
  /** One more handle on the same store. The suite closes it. */
  open(): Promise<AccountStore>;
  /** How another process opens it; absent where a store does not outlive its process. */
  readonly durable?: Durable;
  /** Called after the last handle is closed. */
  dispose(): Promise<void>;
};

/** Runs a writer until it has printed `lineCount` lines, kills it, and gives all its lines. */
async function killedWriter({ kind, place }: Durable, label: string, lineCount: number, children: ChildProcess[]): Promise<string[]> {
  const script = path.join(packageRoot(), 'test/support/accountWriter.ts');
  const child = spawn(process.execPath, ['--import', 'tsx', script, kind, place, label], { stdio: ['ignore', 'pipe', 'pipe'] });
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

/** What every account store promises (see the port). Call it in a test file with a maker of fresh, empty stores. */
export function describeAccountStore(name: string, makeHarness: () => Promise<StoreHarness>): void {
  describe(`account store: ${name}`, () => {
    let harness: StoreHarness;
    let handles: AccountStore[];
    let children: ChildProcess[];
    const open = async (): Promise<AccountStore> => {
      const handle = await harness.open();
      handles.push(handle);
      return handle;
    };

    beforeEach(async () => {
      harness = await makeHarness();
      handles = [];
      children = [];
    });
    afterEach(async () => {
      for (const child of children) child.kill('SIGKILL');
      for (const handle of handles) await handle.close();
      await harness.dispose();
    });

    it('gives back an account and its key as they were put in', async () => {
      const store = await open();
      const { account, key } = sampleAccount('a', { email: 'Zoë.O’Neil+x@Exämple.com', companyId: '株式会社 "; DROP TABLE accounts; --' });
      const dated = { ...key, name: 'laptop', expiresAtMs: 4_102_444_800_000, revokedAtMs: 1_704_067_200_999 };
      expect(await store.createAccount(account, dated)).to.equal('created');
      expect(await store.findAccount('a')).to.deep.equal(account);
      expect(await store.findAccountByEmailKey(account.emailKey)).to.deep.equal(account);
      expect(await store.findKeyByDigest(key.digest)).to.deep.equal(dated);
    });

    it('keeps absent values apart from empty ones', async () => {
      const store = await open();
      const { account, key } = sampleAccount('a', { companyId: '' });
      await store.createAccount(account, { ...key, name: '' });
      expect((await store.findAccount('a'))?.companyId).to.equal('');
      expect((await store.findKeyByDigest(key.digest))?.name).to.equal('');
      const other = sampleAccount('b');
      await store.createAccount(other.account, other.key);
      expect(await store.findAccount('b')).to.deep.equal(other.account);
      expect(await store.findKeyByDigest(other.key.digest)).to.deep.equal(other.key);
    });

    it('answers undefined for what it does not hold', async () => {
      const store = await open();
      const { account, key } = sampleAccount('a');
      await store.createAccount(account, key);
      expect(await store.findAccount('b')).to.equal(undefined);
      expect(await store.findAccountByEmailKey(account.emailKey.toUpperCase())).to.equal(undefined);
      expect(await store.findKeyByDigest(key.digest.slice(1))).to.equal(undefined);
      expect(await store.findKeyByDigest('')).to.equal(undefined);
    });

    it('refuses a second account for an e-mail and leaves the first as it was', async () => {
      const store = await open();
      const first = sampleAccount('a');
      const second = sampleAccount('b', { emailKey: first.account.emailKey });
      expect(await store.createAccount(first.account, first.key)).to.equal('created');
      expect(await store.createAccount(second.account, second.key)).to.equal('email_taken');
      expect(await store.findAccountByEmailKey(first.account.emailKey)).to.deep.equal(first.account);
      expect(await store.findAccount('b')).to.equal(undefined);
      expect(await store.findKeyByDigest(second.key.digest)).to.equal(undefined);
    });

    it('lets one of 50 concurrent sign-ups for one e-mail win, over two handles', async () => {
      const stores = [await open(), await open()];
      const tries = Array.from({ length: 50 }, (_, i) => sampleAccount(`a${i}`, { emailKey: 'same@example.com' }));
      const outcomes = await Promise.all(tries.map(({ account, key }, i) => (stores[i % 2] as AccountStore).createAccount(account, key)));
      expect(outcomes.filter((outcome) => outcome === 'created')).to.have.length(1);
      const winner = tries[outcomes.indexOf('created')];
      expect(await stores[0]?.findAccountByEmailKey('same@example.com')).to.deep.equal(winner?.account);
      const keys = await Promise.all(tries.map(({ key }) => stores[1]?.findKeyByDigest(key.digest)));
      expect(keys.filter((key) => key !== undefined)).to.deep.equal([winner?.key]);
    });

    it('makes neither account nor key when the key cannot be made', async () => {
      const store = await open();
      const first = sampleAccount('a');
      const second = sampleAccount('b');
      await store.createAccount(first.account, first.key);
      const sameDigest = { ...second.key, digest: first.key.digest };
      const failure = await store.createAccount(second.account, sameDigest).catch((error: unknown) => error);
      expect((failure as ServiceError).code).to.equal('store.unavailable');
      expect(await store.findAccount('b')).to.equal(undefined);
      expect(await store.createAccount(second.account, second.key)).to.equal('created');
    });

    it('shows at once to every handle what one has acknowledged', async () => {
      const [writer, reader] = [await open(), await open()];
      expect(await reader.findAccount('a')).to.equal(undefined);
      const { account, key } = sampleAccount('a');
      await writer.createAccount(account, key);
      expect(await reader.findKeyByDigest(key.digest)).to.deep.equal(key);
    });

    it('answers ping while open; afterwards every call throws store.unavailable and closing again is harmless', async () => {
      const store = await harness.open();
      await store.ping();
      await store.close();
      await store.close();
      const { account, key } = sampleAccount('a');
      const calls = [
        () => store.ping(),
        () => store.findAccount('a'),
        () => store.findAccountByEmailKey('a'),
        () => store.findKeyByDigest('a'),
        () => store.createAccount(account, key),
      ];
      for (const call of calls) {
        const failure: unknown = await call().catch((error: unknown) => error);
        expect(failure).to.be.instanceOf(ServiceError);
        expect((failure as ServiceError).code).to.equal('store.unavailable');
      }
    });

    it('keeps what it acknowledged to three racing processes that are killed while they write', async function () {
      if (harness.durable === undefined) {
        process.stdout.write(`skipped: ${name} does not outlive its process\n`);
        this.skip();
      }
      this.timeout(300_000);
      const { durable } = harness;
      const kills = { a: 5, b: 40, c: 80 };
      const acknowledged = await Promise.all(Object.entries(kills).map(([label, count]) => killedWriter(durable, label, count, children)));

      const store = await open();
      const created = acknowledged.flatMap((lines, i) =>
        lines.filter((line) => line.startsWith('created ')).map((line) => ({ label: Object.keys(kills)[i], n: line.slice(8) })),
      );
      expect(new Set(created.map(({ n }) => n)).size, 'e-mails acknowledged once').to.equal(created.length);
      for (const { label, n } of created) {
        expect((await store.findAccountByEmailKey(`race-${n}@example.com`))?.id).to.equal(`${label}-${n}`);
      }
      const tried = Math.max(...acknowledged.map((lines) => lines.length));
      for (let n = 0; n <= tried; n++) {
        const account = await store.findAccountByEmailKey(`race-${n}@example.com`);
        if (n < tried) expect(account, `account ${n}`).to.not.equal(undefined);
        if (account === undefined) continue;
        expect((await store.findKeyByDigest(sampleDigest(account.id)))?.accountId, 'no account without its key').to.equal(account.id);
      }
    });
  });
}
