import { expect } from 'chai';
import type { TickRequestBody } from '../../src/contract/tickForecast.ts';
import { cliRun } from '../support/cliRun.ts';
import { makeStoreLocation, STORE_KINDS, type StoreLocation } from '../support/eachStore.ts';
import { request, type Answer, type Ask } from '../support/request.ts';
import { serveTickmark, type ServedProcess } from '../support/tickmarkProcess.ts';
import { until } from '../support/until.ts';

const EMAIL = 'Trader@Exämple.com';
const PASSWORDS = ['correct horse 42', 'battery ståple 🔑 43'];

/** The whole life of an account, for a user and an operator, with each store: the build, its own process, its own network. */
for (const kind of STORE_KINDS)
  describe(`an account from sign-up to its end: ${kind}`, function () {
    this.timeout(300_000);
    let place: StoreLocation;
    let served: ServedProcess;
    let sample: TickRequestBody;
    const keys: string[] = [];
    const logs: string[] = [];

    before(async function () {
      place = await makeStoreLocation(kind, this);
      served = await serve();
      sample = (await ask('/sample')).json as TickRequestBody;
    });
    after(async () => {
      served?.child.kill('SIGKILL');
      await place?.dispose();
    });

    const serve = (): Promise<ServedProcess> => serveTickmark(place.env['DATA_DIR'] ?? '', { ...place.env });
    const ask = (path: string, how?: Ask): Promise<Answer> => request(served.url, path, how);
    const owner = (path: string, how: Ask = {}, password = PASSWORDS[0]): Promise<Answer> =>
      ask(path, { ...how, headers: { Authorization: `Basic ${Buffer.from(`${EMAIL.toLowerCase()}:${password}`).toString('base64')}` } });
    const forecast = async (key: string | undefined): Promise<number> =>
      (await ask('/auth/ti-tick', { body: sample, headers: { 'Api-Key': key ?? '' } })).status;
    const keep = (answer: Answer): string => {
      const key = String(answer.json['api_key']);
      keys.push(key);
      return key;
    };
    async function operator(...argv: string[]): Promise<string> {
      const { code, out, err } = await cliRun(place.env, ...argv);
      logs.push(out, err);
      expect(code, err).to.equal(0);
      return out;
    }

    it('signs up and forecasts', async () => {
      const signedUp = await ask('/signup', { body: { email: EMAIL, password: PASSWORDS[0], confirm_password: PASSWORDS[0] } });
      expect(signedUp.status).to.equal(201);
      expect(await forecast(keep(signedUp))).to.equal(200);
    });

    it('lists, issues, rotates and revokes keys', async () => {
      const issued = await owner('/account/keys', { body: { name: 'laptop' } });
      const second = keep(issued);
      const rotated = await ask('/auth/keys/rotate', { method: 'POST', headers: { 'Api-Key': second } });
      expect(rotated.status).to.equal(201);
      const third = keep(rotated);
      for (const key of [second, third]) expect(await forecast(key)).to.equal(200);
      expect((await owner(`/account/keys/${String(rotated.json['id'])}`, { method: 'DELETE' })).status).to.equal(200);
      expect(await forecast(third)).to.equal(401);
      const listed = (await owner('/account/keys')).json['keys'] as { status: string; name: string | null }[];
      expect(listed.map(({ status, name }) => `${status} ${name}`)).to.deep.equal(['active null', 'grace laptop', 'revoked laptop']);
    });

    it('issues a new key after the old one was lost, and changes the password', async () => {
      expect(await forecast(keep(await owner('/account/keys', { body: {} })))).to.equal(200);
      const body = { password: PASSWORDS[1], confirm_password: PASSWORDS[1] };
      expect((await owner('/account/password', { body })).status).to.equal(200);
      expect((await owner('/account/keys')).status).to.equal(401);
      expect((await owner('/account/keys', {}, PASSWORDS[1])).status).to.equal(200);
    });

    it('is listed and disabled by the operator while the service runs', async () => {
      expect(await operator('accounts', 'show', EMAIL))
        .to.include('key.rotated')
        .and.include('account.password_changed');
      await operator('accounts', 'disable', EMAIL);
      await until(async () => (await forecast(keys[0])) === 401);
      await operator('accounts', 'enable', EMAIL);
      expect(await forecast(keys[0])).to.equal(200);
    });

    it('exists after a restart', async () => {
      served.child.kill('SIGTERM');
      const { code, stdout, stderr } = await served.ended;
      expect(code).to.equal(0);
      logs.push(stdout, stderr);
      served = await serve();
      expect(served.stderr()).to.include(`"store":"${kind === 'sqlite' ? 'existing file' : 'MongoDB'}"`);
      expect(await forecast(keys[0])).to.equal(200);
    });

    it('is deleted: its keys and its password are refused, its e-mail is free', async () => {
      expect((await owner('/account', { method: 'DELETE' }, PASSWORDS[1])).status).to.equal(200);
      for (const key of keys) expect(await forecast(key)).to.equal(401);
      expect((await owner('/account/keys', {}, PASSWORDS[1])).status).to.equal(401);
      const again = { email: EMAIL, password: PASSWORDS[0], confirm_password: PASSWORDS[0] };
      expect((await ask('/signup', { body: again })).status).to.equal(201);
    });

    it('left no key and no password in store, logs or output (row 14)', async () => {
      served.child.kill('SIGTERM');
      const { code, stdout, stderr } = await served.ended;
      expect(code).to.equal(0);
      const kept = [await place.dump(), ...logs, stdout, stderr].join('\n');
      expect(kept).to.include('$argon2id$').and.include('account.deleted').and.include('"msg":"request"');
      for (const key of keys) expect(kept.includes(key.slice(13))).to.equal(false);
      for (const secret of [...PASSWORDS, 'ståple', ...(place.env['MONGODB_URI'] === undefined ? [] : ['mongodb://'])])
        expect(kept.includes(secret), secret).to.equal(false);
    });
  });
