import { expect } from 'chai';
import { createApiKey } from '../../src/service/accounts/accountKeys.ts';
import type { TickRequestBody } from '../../src/contract/tickForecast.ts';
import { type AccountRig, PASSWORD, startAccountService, suiteService } from '../support/accountService.ts';
import { STORE_KINDS } from '../support/eachStore.ts';
import type { Answer } from '../support/request.ts';
import { SteppedClock } from '../support/SteppedClock.ts';

type Key = {
  id: string;
  name: string | null;
  prefix: string;
  status: string;
  last_used_at: string | null;
  forecasts_30_days: number;
  refused_30_days: number;
};

const keysOf = (answer: Answer): Key[] => answer.json['keys'] as Key[];
for (const kind of STORE_KINDS)
  describe(`accounts over HTTP: ${kind}`, () => {
    const clock = new SteppedClock();
    const rig = suiteService(kind, { KEY_ROTATION_GRACE_S: '6' }, { clock });
    let sample: TickRequestBody;

    before(async () => {
      sample = (await rig.ask('/sample')).json as TickRequestBody;
    });

    async function withRig(env: Record<string, string>, use: (other: AccountRig) => Promise<void>): Promise<void> {
      const other = await startAccountService(rig.place, env);
      try {
        await use(other);
      } finally {
        await other.close();
      }
    }

    it('covers the whole life of a key: sign-up, list, issue, rotate, revoke', async () => {
      const first = (await rig.signUp('way@example.com')).json['api_key'];
      const listed = await rig.asOwner('WAY@example.com', '/account/keys');
      expect(listed.status).to.equal(200);
      expect(keysOf(listed).map(({ status, name }) => [status, name])).to.deep.equal([['active', null]]);

      const issued = await rig.asOwner('way@example.com', '/account/keys', {
        body: { name: 'laptop', expires_at: '2033-01-01T00:00:00Z' },
      });
      expect([issued.status, issued.headers['cache-control']]).to.deep.equal([201, 'no-store']);
      const second = issued.json['api_key'];
      expect((await rig.withKey(second, '/auth/me')).json['key']).to.include({ name: 'laptop', expires_at: '2033-01-01T00:00:00.000Z' });

      const rotated = await rig.withKey(second, '/auth/keys/rotate', { method: 'POST' });
      expect([rotated.status, rotated.headers['cache-control']]).to.deep.equal([201, 'no-store']);
      expect(rotated.json).to.include({ name: 'laptop', expires_at: '2033-01-01T00:00:00.000Z' });
      const third = rotated.json['api_key'];
      for (const key of [first, second, third]) expect((await rig.withKey(key, '/auth/me')).status).to.equal(200);
      expect(keysOf(await rig.asOwner('way@example.com', '/account/keys')).map(({ status }) => status)).to.deep.equal([
        'active',
        'grace',
        'active',
      ]);

      const revoked = await rig.asOwner('way@example.com', `/account/keys/${String(rotated.json['id'])}`, { method: 'DELETE' });
      expect([revoked.status, revoked.json['status']]).to.deep.equal([200, 'revoked']);
      expect((await rig.withKey(third, '/auth/me')).status, 'at once, although it was cached').to.equal(401);
      clock.advance(6000);
      expect((await rig.withKey(second, '/auth/me')).status, 'after its grace').to.equal(401);
      expect((await rig.withKey(first, '/auth/me')).status).to.equal(200);
    });

    it('deletes an account: keys and password are refused at once, the e-mail is free, nothing of it is kept', async () => {
      const { json } = await rig.signUp('Delete.Me@example.com');
      await rig.withKey(json['api_key'], '/auth/me');
      expect((await rig.asOwner('delete.me@example.com', '/account', { method: 'DELETE' })).status).to.equal(200);
      expect((await rig.withKey(json['api_key'], '/auth/me')).status).to.equal(401);
      expect((await rig.asOwner('delete.me@example.com', '/account/keys')).status).to.equal(401);
      expect((await rig.place.dump()).toLowerCase(), 'nor in freed pages of the file').to.not.include('delete.me');
      expect((await rig.signUp('delete.me@example.com')).status).to.equal(201);
    });

    it('creates one account and one key for 50 concurrent sign-ups (row 22)', async () => {
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, i) => rig.signUp(i % 2 === 0 ? 'race@example.com' : 'Race@Example.com')),
      );
      const made = answers.filter(({ status }) => status === 201);
      expect(made).to.have.length(1);
      expect(answers.filter(({ status }) => status === 409)).to.have.length(49);
      expect(keysOf(await rig.asOwner('race@example.com', '/account/keys'))).to.have.length(1);
    });

    if (kind === 'sqlite') {
      // The store has no part in these.
      it('gives one identical 401 for unknown, revoked, expired and disabled keys (row 12)', async () => {
        const { json } = await rig.signUp('dead@example.com');
        const expiresAt = new Date(clock.nowMs() + 1000).toISOString();
        const expiring = await rig.asOwner('dead@example.com', '/account/keys', { body: { expires_at: expiresAt } });
        const [{ id } = { id: '' }] = keysOf(await rig.asOwner('dead@example.com', '/account/keys'));
        await rig.asOwner('dead@example.com', `/account/keys/${id}`, { method: 'DELETE' });
        clock.advance(1000);
        const seen = new Set<string>();
        for (const key of [createApiKey(), json['api_key'], expiring.json['api_key'], 'tkm_live_no']) {
          const answer = await rig.withKey(key, '/auth/me');
          expect(answer.headers['www-authenticate']).to.match(/^ApiKey /);
          seen.add(`${answer.status} ${answer.text.replace(String(answer.json['requestId']), '')}`);
        }
        expect([...seen]).to.have.length(1);
        expect([...seen][0]).to.match(/^401 /);
      });

      it('gives one identical 401 for every invalid e-mail and password', async () => {
        await rig.signUp('basic@example.com');
        const tries: [what: string, headers: Record<string, string>][] = [
          ['none', {}],
          ['another scheme', { Authorization: 'Bearer x' }],
          ['no colon', { Authorization: 'Basic eHh4' }],
        ];
        const answers = [
          await rig.asOwner('basic@example.com', '/account/keys', { password: `${PASSWORD} ` }),
          await rig.asOwner('unknown@example.com', '/account/keys'),
        ];
        for (const [, headers] of tries) answers.push(await rig.ask('/account/keys', { headers }));
        expect(new Set(answers.map(({ status, text, json }) => `${status} ${text.replace(String(json['requestId']), '')}`))).to.have.length(
          1,
        );
        for (const { status, headers } of answers) {
          expect([status, headers['www-authenticate']]).to.deep.equal([401, 'Basic realm="tickmark", charset="UTF-8"']);
        }
      });

      it('changes the password: the old one is refused, the keys stay valid', async () => {
        const { json } = await rig.signUp('change@example.com');
        const password = 'battery ståple 🔑 43';
        const weak = await rig.asOwner('change@example.com', '/account/password', {
          body: { password: 'short', confirm_password: 'short' },
        });
        expect([weak.status, weak.json['code']]).to.deep.equal([422, 'request.invalid']);
        const changed = await rig.asOwner('change@example.com', '/account/password', { body: { password, confirm_password: password } });
        expect(changed.status).to.equal(200);
        expect((await rig.asOwner('change@example.com', '/account/keys')).status).to.equal(401);
        expect((await rig.asOwner('change@example.com', '/account/keys', { password })).status).to.equal(200);
        expect((await rig.withKey(json['api_key'], '/auth/me')).status).to.equal(200);
      });

      it('points to the errors of a key request, and refuses keys of other accounts', async () => {
        await rig.signUp('wrong@example.com');
        const cases: [body: unknown, problem: string][] = [
          [{ name: '' }, '/name key_name.length'],
          [{ name: 7 }, '/name field.wrong_type'],
          [{ expires_at: 'soon' }, '/expires_at expires_at.malformed'],
          [{ expires_at: '2001-01-01T00:00:00Z' }, '/expires_at expires_at.out_of_range'],
          [{ expire: '2033-01-01T00:00:00Z' }, '/expire field.unknown'],
        ];
        for (const [body, problem] of cases) {
          const answer = await rig.asOwner('wrong@example.com', '/account/keys', { body });
          const [{ pointer, code } = { pointer: '', code: '' }] = answer.json['errors'] as { pointer: string; code: string }[];
          expect([answer.status, `${pointer} ${code}`]).to.deep.equal([422, problem]);
        }
        await rig.signUp('others@example.com');
        const [theirs] = keysOf(await rig.asOwner('others@example.com', '/account/keys'));
        const answer = await rig.asOwner('wrong@example.com', `/account/keys/${theirs?.id}`, { method: 'DELETE' });
        expect([answer.status, answer.json['code']]).to.deep.equal([404, 'key.unknown']);
        expect(keysOf(await rig.asOwner('others@example.com', '/account/keys'))[0]?.status).to.equal('active');
      });

      it('counts only forecasts against the quota of a valid key (row 24)', async () => {
        await withRig({ LIMIT_FORECASTS_PER_MINUTE: '3' }, async (other) => {
          const key = (await other.signUp('quota@example.com')).json['api_key'];
          const forecast = (body: unknown, query = ''): Promise<Answer> => other.withKey(key, `/auth/ti-tick${query}`, { body });
          const bad = { ...sample, Price: sample.Price.map(() => -1) };
          for (let i = 0; i < 5; i++) {
            expect((await forecast(bad)).status).to.equal(422);
            expect((await forecast({})).status).to.equal(422);
            expect((await forecast(sample, '?model=none')).status).to.equal(404);
          }
          for (const left of [2, 1, 0]) {
            const answer = await forecast(sample);
            expect([answer.status, answer.headers['ratelimit-policy']]).to.deep.equal([200, '"forecasts";q=3;w=60']);
            expect(answer.headers['ratelimit']).to.match(new RegExp(`^"forecasts";r=${left};t=\\d+$`));
          }
          const refused = await forecast(sample);
          expect([refused.status, refused.json['code']]).to.deep.equal([429, 'limit.exceeded']);
          expect(Number(refused.headers['retry-after'])).to.be.within(1, 60);
          const another = (await other.asOwner('quota@example.com', '/account/keys', { body: {} })).json['api_key'];
          expect((await other.withKey(another, '/auth/ti-tick', { body: sample })).status, 'another key').to.equal(200);
        });
      });

      it('counts forecasts of all keys against the quota of the account, also of new and of replaced keys (row 88)', async () => {
        await withRig({ LIMIT_FORECASTS_PER_MINUTE: '2', KEY_ROTATION_GRACE_S: '0' }, async (other) => {
          let key = (await other.signUp('keys@example.com')).json['api_key'];
          const statuses: number[] = [];
          for (let i = 0; i < 6; i++) {
            for (let n = 0; n < 2; n++) statuses.push((await other.withKey(key, '/auth/ti-tick', { body: sample })).status);
            const next =
              i % 2 === 0
                ? other.withKey(key, '/auth/keys/rotate', { method: 'POST' })
                : other.asOwner('keys@example.com', '/account/keys', { body: {} });
            key = (await next).json['api_key'];
          }
          expect(statuses).to.deep.equal([...Array<number>(8).fill(200), ...Array<number>(4).fill(429)]);
          const refused = await other.withKey(key, '/auth/ti-tick', { body: sample });
          expect(refused.headers['ratelimit-policy']).to.equal('"forecasts";q=2;w=60, "forecasts of this account";q=8;w=60');
          expect(refused.headers['ratelimit']).to.match(/^"forecasts";r=2;t=\d+, "forecasts of this account";r=0;t=\d+$/);
        });
      });

      it('limits sign-ups from one address, whatever X-Forwarded-For says (rows 20 and 23)', async () => {
        await withRig({ LIMIT_SIGNUPS_PER_HOUR: '5' }, async (other) => {
          const answers = await Promise.all(
            Array.from({ length: 30 }, (_, i) => other.signUp(`flood${i}@example.com`, { 'X-Forwarded-For': `203.0.113.${i}` })),
          );
          expect(answers.filter(({ status }) => status === 201)).to.have.length(5);
          const refused = answers.filter(({ status }) => status === 429);
          expect(refused).to.have.length(25);
          for (const { headers } of refused) expect(headers).to.include.keys('retry-after', 'ratelimit', 'ratelimit-policy');
          const invalid = await other.ask('/signup', { body: { email: 'x', password: PASSWORD, confirm_password: PASSWORD } });
          expect(invalid.status, 'validation comes first').to.equal(422);
        });
      });

      it('counts a sign-up that is refused because its e-mail is taken: guessing addresses has the same limit as sign-ups', async () => {
        await withRig({ LIMIT_SIGNUPS_PER_HOUR: '3' }, async (other) => {
          const statuses = [];
          for (let i = 0; i < 4; i++) statuses.push((await other.signUp('guessed@example.com')).status);
          expect(statuses).to.deep.equal([201, 409, 409, 429]);
        });
      });

      it('counts by the last entry of X-Forwarded-For behind a trusted proxy (row 23)', async () => {
        await withRig({ LIMIT_SIGNUPS_PER_HOUR: '1', TRUST_PROXY: 'true' }, async (other) => {
          const statusOf = async (n: number, forwarded: string): Promise<number> =>
            (await other.signUp(`proxy${n}@example.com`, { 'X-Forwarded-For': forwarded })).status;
          expect(await statusOf(1, '203.0.113.1')).to.equal(201);
          expect(await statusOf(2, '203.0.113.1')).to.equal(429);
          expect(await statusOf(3, '198.51.100.7, 203.0.113.1'), 'an address that the caller invented').to.equal(429);
          expect(await statusOf(4, '203.0.113.1, 203.0.113.2')).to.equal(201);
        });
      });

      it('allows pages of the listed origins only, and none by default', async () => {
        const preflight = { method: 'OPTIONS', headers: { Origin: 'https://desk.example.com', 'Access-Control-Request-Method': 'POST' } };
        expect((await rig.ask('/auth/ti-tick', preflight)).headers).to.not.have.property('access-control-allow-origin');
        await withRig({ CORS_ORIGINS: 'https://desk.example.com' }, async (other) => {
          const allowed = await other.ask('/auth/ti-tick', preflight);
          expect([allowed.status, allowed.headers['access-control-allow-origin']]).to.deep.equal([204, 'https://desk.example.com']);
          expect(allowed.headers['access-control-allow-headers']).to.include('Api-Key');
          const refused = await other.ask('/auth/me', { headers: { Origin: 'https://desk.example.com' } });
          expect([refused.status, refused.headers['access-control-allow-origin']]).to.deep.equal([401, 'https://desk.example.com']);
          const stranger = await other.ask('/auth/me', { headers: { Origin: 'https://evil.example.com' } });
          expect(stranger.headers).to.not.have.property('access-control-allow-origin');
          expect(stranger.headers['vary']).to.match(/Origin/i);
          expect(stranger.headers).to.not.have.property('access-control-allow-credentials');
        });
      });

      it('sends Strict-Transport-Security if a trusted proxy terminated TLS', async () => {
        await withRig({ TRUST_PROXY: 'true' }, async (other) => {
          const over = async (proto: string): Promise<unknown> =>
            (await other.ask('/health/live', { headers: { 'X-Forwarded-Proto': proto } })).headers['strict-transport-security'];
          expect(await over('https')).to.equal('max-age=31536000');
          expect(await over('http')).to.equal(undefined);
        });
        const direct = await rig.ask('/health/live', { headers: { 'X-Forwarded-Proto': 'https' } });
        expect(direct.headers).to.not.have.property('strict-transport-security');
      });

      it('refuses sign-ups while they are closed', async () => {
        await withRig({ SIGNUP: 'closed' }, async (other) => {
          expect((await other.signUp('closed@example.com')).json['code']).to.equal('account.signup_closed');
        });
      });
    }

    it('writes the last use of keys and what they were used for when it stops, and keeps all accounts', async () => {
      const other = await startAccountService(rig.place, { LIMIT_FORECASTS_PER_MINUTE: '5' });
      const key = (await other.signUp('used@example.com')).json['api_key'];
      const second = (await other.asOwner('used@example.com', '/account/keys', { body: {} })).json['api_key'];
      const leftOf = async (apiKey: unknown): Promise<string> => {
        const { headers } = await other.withKey(apiKey, '/auth/me');
        return `${String(headers['ratelimit']).replace(/;t=\d+$/, '')} ${String(headers['ratelimit-policy'])}`;
      };
      expect(await leftOf(key)).to.equal('"forecasts";r=5 "forecasts";q=5;w=60');
      const { Timestamp, Price } = sample;
      const observed = { Timestamp: Timestamp.slice(0, -1), Price: Price.slice(0, -1) };
      for (const [apiKey, path, body, status] of [
        [key, '/auth/ti-tick', {}, 422],
        [key, '/auth/ti-tick?model=none', sample, 404],
        [key, '/auth/ti-tick', sample, 200],
        [key, '/auth/ti-tick/batch', { items: [sample, {}, sample] }, 200],
        [key, '/auth/ti-tick?horizons=60s,120s,180s', observed, 429],
        [key, '/auth/ti-tick?horizons=60s,120s', observed, 200],
        [key, '/auth/ti-tick', sample, 429],
        [second, '/auth/ti-tick', sample, 200],
      ] as const)
        expect((await other.withKey(apiKey, path, { body })).status, path).to.equal(status);
      expect([await leftOf(key), await leftOf(second)], 'GET /auth/me takes nothing').to.deep.equal([
        '"forecasts";r=0 "forecasts";q=5;w=60',
        '"forecasts";r=4 "forecasts";q=5;w=60',
      ]);
      await other.close();
      await withRig({}, async (next) => {
        const listed = keysOf(await next.asOwner('used@example.com', '/account/keys'));
        expect(Date.now() - Date.parse(listed[0]?.last_used_at ?? '')).to.be.within(0, 120_000);
        const counts = listed.map((one) => [one.forecasts_30_days, one.refused_30_days]);
        expect(counts).to.deep.equal([[5, 4], [1, 0]]); // prettier-ignore
      });
    });

    it('stores no key and no password in store, logs or later answers (rows 14 and 15)', async () => {
      const issued = rig.answered.flatMap((text) => /"api_key":"(tkm_live_\w+)"/.exec(text)?.[1] ?? []);
      expect(issued.length).to.be.above(5);
      const kept = (await rig.place.dump()) + rig.logged.join('\n');
      expect(kept).to.include('$argon2id$').and.include('key.issued');
      for (const key of issued) {
        expect(kept.includes(key.slice(13))).to.equal(false);
        expect(
          rig.answered.filter((text) => text.includes(key)),
          'shown once',
        ).to.have.length(1);
      }
      for (const password of [PASSWORD, 'battery ståple']) expect(kept.includes(password)).to.equal(false);
      expect(rig.logged.join('\n')).to.not.include('@example.com').and.not.include('127.0.0.1 ');
    });
  });
