import { statSync } from 'node:fs';
import { expect } from 'chai';
import Database from 'libsql';
import type { AccountStore, Migration } from '../../src/service/accounts/AccountStore.ts';
import { KeyUses } from '../../src/service/accounts/KeyUses.ts';
import type { ServiceError } from '../../src/core/ServiceError.ts';
import { FakeClock } from '../support/FakeClock.ts';
import { InstantHasher } from '../support/InstantHasher.ts';
import { makeStoreLocation, STORE_KINDS, type StoreLocation } from '../support/eachStore.ts';
import { openNamedStore, PATIENT_MS } from '../support/openNamedStore.ts';
import { serviceErrorOf } from '../support/serviceErrorOf.ts';
import { hasCommit, presentCode, releaseCode, RELEASES, type Release, type ReleaseCode } from '../support/openRelease.ts';
import { SAMPLE_USE, sampleDelivery, sampleRecord, sampleWebhook } from '../support/sampleAccount.ts';

const PASSWORD = 'correct horse 42';
const OWNER = { actor: 'owner', requestId: null } as const;
const QUOTA = 6;

/** One program over the store. */
type Program = {
  readonly store: AccountStore;
  signUp(name: string): Promise<{ readonly accountId: string; readonly apiKey: string }>;
  /** The account that a new check of the key finds. */
  ownerOf(key: string): Promise<string | undefined>;
  changePassword(accountId: string, password: string): Promise<void>;
  deleteAccount(accountId: string): Promise<void>;
  emails(): Promise<string[]>;
  /** Counts a forecast of a subject; resolves to the count of its window. */
  count(subject: string): Promise<number>;
  close(): Promise<void>;
};

/** Those of all programs, in order. */
const migrations: Migration[] = [];

async function start(code: ReleaseCode, { kind, place }: StoreLocation): Promise<Program> {
  // Its time stands still: no count is late on a busy machine.
  const clock = new FakeClock();
  const { store, counterOf, close } = await code.openStore(
    {
      mongodbUri: kind === 'mongodb' ? place : '',
      dataDir: place,
      ...{ mongodbPoolSize: 5, storeTimeoutMs: PATIENT_MS },
      limits: { areShared: kind === 'mongodb' } as Parameters<ReleaseCode['openStore']>[0]['limits'],
    },
    clock,
    undefined,
    undefined,
    // As `serve` and `migrate`; earlier releases migrate unasked.
    { onMigration: (migration) => void migrations.push(migration) },
  );
  const service = new code.AccountService({ store, hasher: new InstantHasher(), clock, isSignUpOpen: true });
  const counter = counterOf({ name: 'forecasts', quota: QUOTA, windowSeconds: 60 });
  return {
    store,
    close,
    signUp: (name) => service.signUp({ email: `${name}@example.com`, password: PASSWORD }, OWNER),
    ownerOf: async (key) => (await new code.KeyAuthenticator({ store, clock }).authenticate(key))?.accountId,
    changePassword: (accountId, password) => service.changePassword(accountId, { password }, OWNER),
    deleteAccount: (accountId) => service.delete(accountId, OWNER),
    emails: async () => (await store.listAccounts({ limit: 100 })).map(({ email }) => email),
    count: async (subject) => (await counter.add(subject, 1)).count,
  };
}

const recordOf = async ({ store }: Program, accountId: string): Promise<number[]> =>
  (await store.listRecords({ accountId, limit: 10 })).map(({ tally }) => tally.forecasts);

/** Accounts in a file of SQLite, whatever its version. */
function readStoredEmails(file: string): string[] {
  expect(statSync(file).mode & 0o777).to.equal(0o600);
  const database = new Database(file, { readonly: true });
  try {
    return (database.prepare('SELECT email FROM accounts').all() as { email: string }[]).map(({ email }) => email);
  } finally {
    database.close();
  }
}

/** Skips a suite with the reason if the history lacks a release. */
function skipWithout(releases: readonly Release[]): void {
  before(function () {
    const missing = releases.find((release) => !hasCommit(release));
    if (missing === undefined) return;
    process.stdout.write(`    skipped: the git history has no commit ${missing.commit} (a shallow clone, or no clone)\n`);
    this.skip();
  });
}

for (const kind of STORE_KINDS) {
  describe(`an upgrade of a store in ${kind === 'sqlite' ? 'SQLite' : 'MongoDB'}`, () => {
    const [before, twoBefore] = RELEASES as readonly [Release, Release];
    let place: StoreLocation;
    let present: ReleaseCode;
    const programs: Program[] = [];

    /** Runs one program after the other, as at an upgrade of one machine. */
    const open = async (code: ReleaseCode): Promise<Program> => {
      const program = await start(code, place);
      programs.push(program);
      return program;
    };

    skipWithout(RELEASES);
    beforeEach(async function () {
      present = await presentCode();
      place = await makeStoreLocation(kind, this);
    });
    afterEach(async () => {
      for (const program of programs.splice(0)) await program.close();
      await place.dispose();
    });

    for (const release of RELEASES) {
      it(`keeps accounts, keys and record of the release ${release.name}`, async () => {
        const code = await releaseCode(release);
        const hasRecord = release !== twoBefore;
        const old = await open(code);
        const ada = await old.signUp('ada');
        if (hasRecord) await old.store.addRecords([sampleRecord(ada.accountId)], 'batch-1');
        await old.close();

        // Any other command refuses the store, and says which version it has.
        migrations.length = 0;
        const refusal = await serviceErrorOf(openNamedStore(kind, place.place));
        expect([refusal.code, refusal.message]).to.satisfy(
          ([code, message]: [string, string]) =>
            code === 'store.refused' && message.includes(`schema version ${release[kind]};`) && message.includes('`tickmark migrate`'),
        );
        expect(migrations).to.deep.equal([]);
        const now = await open(present);
        expect(migrations).to.have.length(1);
        expect(migrations[0]?.from).to.equal(release[kind]);
        if (kind === 'sqlite') expect(readStoredEmails(migrations[0]?.copy ?? '')).to.deep.equal(['ada@example.com']);
        expect(await now.ownerOf(ada.apiKey)).to.equal(ada.accountId);
        const bob = await now.signUp('bob');
        expect(await now.ownerOf(bob.apiKey)).to.equal(bob.accountId);
        expect(await now.emails()).to.deep.equal(['ada@example.com', 'bob@example.com']);
        await now.store.addRecords([sampleRecord(ada.accountId)], 'batch-2');
        expect(await recordOf(now, ada.accountId)).to.deep.equal([hasRecord ? 2 : 1]);
        await now.store.changeAccount(ada.accountId, (account) => ({ account: { ...account, webhooks: [sampleWebhook('1')] } }));
        expect((await now.store.findAccount(ada.accountId))?.webhooks).to.deep.equal([sampleWebhook('1')]);
        const uses = new KeyUses(now.store, new FakeClock());
        uses.count({ accountId: ada.accountId, keyId: (await now.store.findAccount(ada.accountId))?.keys[0]?.id ?? '' }, 3, 1);
        await uses.write();
        const { keys = [] } = (await now.store.findAccount(ada.accountId)) ?? {};
        expect(keys.map(({ use }) => use?.days)).to.deep.equal([[{ day: '2024-01-01', forecasts: 3, refused: 1 }]]);
        await now.store.addDeliveries([sampleDelivery('1', ada.accountId)]);
        expect(await now.store.claimDeliveries({ nowMs: 2, untilMs: 3, limit: 5, busy: [], served: [] })).to.have.length(1);
      });
    }

    it(`works on with the release ${before.name} and back, and loses nothing`, async () => {
      const now = await open(present);
      const ada = await now.signUp('ada');
      const bob = await now.signUp('bob');
      for (const { accountId } of [ada, bob]) {
        await now.store.changeAccount(accountId, ({ keys, ...account }) => ({
          account: { ...account, keys: keys.map((key) => ({ ...key, use: SAMPLE_USE })), webhooks: [sampleWebhook('1')] },
        }));
        await now.store.addDeliveries([sampleDelivery(`of ${accountId}`, accountId)]);
        await now.store.addRecords([sampleRecord(accountId)], `batch of ${accountId}`);
      }
      await now.close();

      const old = await open(await releaseCode(before));
      expect(await old.emails()).to.deep.equal(['ada@example.com', 'bob@example.com']);
      expect(await old.ownerOf(ada.apiKey)).to.equal(ada.accountId);
      const eve = await old.signUp('eve');
      await old.changePassword(ada.accountId, 'another horse 43');
      await old.store.addRecords([sampleRecord(ada.accountId)], 'batch of the old release');
      await old.deleteAccount(bob.accountId);
      expect(await old.ownerOf(bob.apiKey)).to.equal(undefined);
      await old.close();

      const again = await open(present);
      expect(await again.emails()).to.deep.equal(['ada@example.com', 'eve@example.com']);
      expect(await again.ownerOf(eve.apiKey)).to.equal(eve.accountId);
      const account = await again.store.findAccount(ada.accountId);
      expect(account?.webhooks).to.deep.equal([sampleWebhook('1')]);
      expect(account?.keys.map(({ use }) => use)).to.deep.equal([SAMPLE_USE]);
      expect(account?.passwordHash).to.equal(await new InstantHasher().hash('another horse 43'));
      expect(await recordOf(again, ada.accountId)).to.deep.equal([2]);
      // That of the deleted account is either gone or dropped at its turn, because no target is left.
      const due = await again.store.claimDeliveries({ nowMs: 2, untilMs: 3, limit: 5, busy: [], served: [] });
      expect(due.map(({ accountId }) => accountId)).to.include(ada.accountId);
    });

    it(`is used by this release and the one ${before.name} at the same time`, async () => {
      const old = await open(await releaseCode(before));
      const ada = await old.signUp('ada');
      const now = await open(present);
      const bob = await now.signUp('bob');
      // A replica of the old release restarts after the migration.
      const restarted = await open(await releaseCode(before));
      for (const program of [old, now, restarted]) {
        expect(await program.ownerOf(ada.apiKey)).to.equal(ada.accountId);
        expect(await program.ownerOf(bob.apiKey)).to.equal(bob.accountId);
      }
      await Promise.all([old, now, restarted].map(({ store }, at) => store.addRecords([sampleRecord(ada.accountId)], `batch-${at}`)));
      expect(await recordOf(now, ada.accountId)).to.deep.equal([3]);
      if (kind === 'sqlite') return;
      const counts: number[] = [];
      for (const program of [old, now, restarted, now, old, now, restarted]) counts.push(await program.count('key'));
      expect(counts).to.deep.equal([1, 2, 3, 4, 5, 6, 7]);
    });

    it(`is refused by the release ${twoBefore.name}, and stays as it is`, async () => {
      const now = await open(present);
      const ada = await now.signUp('ada');
      await now.close();
      const refusal = (await start(await releaseCode(twoBefore), place).catch((error: unknown) => error)) as ServiceError;
      expect(refusal.code).to.equal('store.refused');
      expect(refusal.message).to.include(`schema version ${before[kind]}; this tickmark supports versions up to ${twoBefore[kind]}`);
      expect(await (await open(present)).ownerOf(ada.apiKey)).to.equal(ada.accountId);
    });
  });
}
