import { expect } from 'chai';
import { WebSocket } from 'ws';
import { PASSWORD, startAccountService, suiteService } from '../support/accountService.ts';
import type { Answer } from '../support/request.ts';
import { SteppedClock } from '../support/SteppedClock.ts';

const DAY_MS = 86_400_000;
type Headers = Record<string, string>;
type Session = { id: string; name: string | null; is_current: boolean; email: string };

const cookieOf = (answer: Answer): string => (answer.headers['set-cookie']?.[0] ?? '').split(';')[0] ?? '';
const sessionsOf = (answer: Answer): Session[] => answer.json['sessions'] as Session[];

describe('sessions', () => {
  const clock = new SteppedClock();
  const rig = suiteService('sqlite', { CORS_ORIGINS: 'http://listed.example', LOCAL_KEY: 'off' }, { clock });
  let own: string;

  before(async () => {
    own = rig.service.url;
  });

  const signIn = (email: string, { headers = {}, ...body }: { headers?: Headers; password?: string; name?: string } = {}) =>
    rig.ask('/session', { body: { email, password: PASSWORD, ...body }, headers: { Origin: own, ...headers } });
  /** As the page of the service sends it. */
  const asPage = (cookie: string, path: string, ask: { method?: string; body?: unknown; headers?: Headers } = {}): Promise<Answer> =>
    rig.ask(path, { ...ask, headers: { Cookie: cookie, Origin: own, 'Sec-Fetch-Site': 'same-origin', ...ask.headers } });
  async function signedIn(email: string): Promise<string> {
    await rig.signUp(email);
    return cookieOf(await signIn(email));
  }

  it('begin with e-mail and password, and count on the routes of a key, of keys and of webhooks', async () => {
    await rig.signUp('way@example.com');
    const started = await signIn('WAY@example.com', { name: 'Firefox on Linux' });
    expect(started.status).to.equal(201);
    expect(started.json).to.include({ email: 'way@example.com', name: 'Firefox on Linux', is_current: true });
    expect(started.headers['set-cookie']?.[0]).to.match(
      /^tickmark_session=tkm_session_[0-9A-Za-z]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Strict$/,
    );
    const cookie = cookieOf(started);
    const sample = (await rig.ask('/sample')).json;
    const calls: [path: string, ask: { method?: string; body?: unknown }, status: number][] = [
      ['/auth/me', {}, 200],
      ['/auth/ti-tick', { body: sample }, 200],
      ['/auth/track-record', {}, 200],
      ['/account/keys', {}, 200],
      ['/account/keys', { body: { name: 'bot' } }, 201],
      ['/account/webhooks', {}, 200],
      ['/session', {}, 200],
    ];
    for (const [path, ask, status] of calls) expect((await asPage(cookie, path, ask)).status, path).to.equal(status);
    expect((await asPage(cookie, '/account/keys')).json['keys'], 'a session is listed with no key').to.have.length(2);
    expect(await rig.place.dump(), 'the store has a digest alone').to.not.include(cookie.split('tkm_session_')[1]);
    expect(rig.logged.join('')).to.not.include(cookie.split('tkm_session_')[1]);
  });

  it('have a cookie with Secure and the prefix __Host- where the proxy ended TLS, and none without the prefix counts then', async () => {
    const proxied = await startAccountService(rig.place, { TRUST_PROXY: 'true' }, { clock });
    try {
      await rig.signUp('tls@example.com');
      const headers = { Origin: 'https://desk.example', 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'desk.example' };
      const started = await proxied.ask('/session', { body: { email: 'tls@example.com', password: PASSWORD }, headers });
      expect(started.headers['set-cookie']?.[0]).to.match(/^__Host-tickmark_session=.*; HttpOnly; SameSite=Strict; Secure$/);
      const cookie = cookieOf(started);
      for (const [sent, status] of [
        [cookie, 200],
        [cookie.replace('__Host-', ''), 401],
      ] as const)
        expect((await proxied.ask('/auth/me', { headers: { ...headers, Cookie: sent } })).status).to.equal(status);
    } finally {
      await proxied.close();
    }
  });

  it('count for no request that another page has caused', async () => {
    const cookie = await signedIn('attacked@example.com');
    const rotate = { method: 'POST', path: '/account/keys', body: {} };
    const read = { method: 'GET', path: '/auth/me' };
    const attacks: [what: string, ask: typeof read & { body?: unknown }, headers: Headers, status: number][] = [
      ['POST from another site', rotate, { Origin: 'http://evil.example' }, 403],
      ['POST from another port of the host', rotate, { Origin: 'http://127.0.0.1:9' }, 403],
      ['POST of a page that the browser calls same-site', rotate, { Origin: own, 'Sec-Fetch-Site': 'same-site' }, 403],
      ['POST of a sandboxed frame', rotate, { Origin: 'null' }, 403],
      ['POST from a listed origin', rotate, { Origin: 'http://listed.example' }, 403],
      ['POST without a word of its page', rotate, {}, 403],
      ['POST of an address bar', rotate, { 'Sec-Fetch-Site': 'none' }, 403],
      ['GET over CORS', read, { Origin: 'http://listed.example' }, 403],
      ['GET of another page', read, { 'Sec-Fetch-Site': 'cross-site' }, 403],
      ['DELETE over CORS', { method: 'DELETE', path: '/session/current' }, { Origin: 'http://listed.example' }, 403],
      ['GET of the address bar', read, { 'Sec-Fetch-Site': 'none' }, 200],
      ['POST of the page', rotate, { Origin: own }, 201],
      ['POST of the page, by Sec-Fetch-Site alone', rotate, { 'Sec-Fetch-Site': 'same-origin' }, 201],
    ];
    for (const [what, { path, ...ask }, headers, status] of attacks) {
      const answer = await rig.ask(path, { ...ask, headers: { Cookie: cookie, ...headers } });
      expect([answer.status, answer.json['code']], what).to.deep.equal([status, status === 403 ? 'session.origin_refused' : undefined]);
      expect(answer.headers['access-control-allow-credentials'], what).to.equal(undefined);
    }
  });

  it('begin for no page of another origin, and never with the token that a browser brought', async () => {
    await rig.signUp('fixed@example.com');
    for (const origin of ['http://evil.example', 'http://listed.example', 'null'])
      expect((await signIn('fixed@example.com', { headers: { Origin: origin } })).json['code'], origin).to.equal('session.origin_refused');
    const planted = `tickmark_session=tkm_session_${'a'.repeat(43)}`;
    const started = await signIn('fixed@example.com', { headers: { Cookie: planted } });
    expect(cookieOf(started)).to.not.equal(planted);
    expect((await asPage(planted, '/auth/me')).status).to.equal(401);
  });

  it('are ended by the same answer for each way in which one is not valid', async () => {
    const ends: [what: string, end: (cookie: string, email: string) => Promise<unknown>][] = [
      ['signed out', (cookie) => asPage(cookie, '/session/current', { method: 'DELETE' })],
      [
        'ended from another one',
        async (cookie, email) => {
          const other = cookieOf(await signIn(email));
          const [{ id } = { id: '' }] = sessionsOf(await asPage(cookie, '/session')).filter((one) => one.is_current);
          expect((await asPage(other, `/session/${id}`, { method: 'DELETE' })).status).to.equal(200);
        },
      ],
      [
        'password changed',
        (_, email) => rig.asOwner(email, '/account/password', { body: { password: 'another one 43', confirm_password: 'another one 43' } }),
      ],
      ['account deleted', (_, email) => rig.asOwner(email, '/account', { method: 'DELETE' })],
      ['a week without use', () => Promise.resolve(clock.advance(7 * DAY_MS))],
    ];
    const seen = new Set<string>();
    for (const [at, [what, end]] of ends.entries()) {
      const email = `ended${at}@example.com`;
      const cookie = await signedIn(email);
      expect((await asPage(cookie, '/auth/me')).status, what).to.equal(200);
      await end(cookie, email);
      const answer = await asPage(cookie, '/auth/me');
      seen.add(`${answer.status} ${answer.text.replace(String(answer.json['requestId']), '')}`);
      expect((await asPage(cookie, '/account/keys')).headers['www-authenticate'], what).to.not.match(/^Basic/);
    }
    expect([...seen]).to.have.length(1);
    expect([...seen][0]).to.match(/^401 /);
  });

  it('see and end nothing of another account', async () => {
    const [mine, theirs] = [await signedIn('mine@example.com'), await signedIn('theirs@example.com')];
    const [{ id } = { id: '' }] = sessionsOf(await asPage(theirs, '/session'));
    const refused = await asPage(mine, `/session/${id}`, { method: 'DELETE' });
    expect([refused.status, refused.json['code']]).to.deep.equal([404, 'session.unknown']);
    expect(sessionsOf(await asPage(mine, '/session')).map(({ email }) => email)).to.deep.equal(['mine@example.com']);
    expect((await asPage(theirs, '/auth/me')).status).to.equal(200);
  });

  it('are at most ten of an account: the one unused for the longest time ends', async () => {
    const first = await signedIn('many@example.com');
    for (let more = 0; more < 10; more++) {
      clock.advance(1000);
      expect((await signIn('many@example.com')).status).to.equal(201);
    }
    expect((await asPage(first, '/auth/me')).status).to.equal(401);
    const [cookie] = [cookieOf(await signIn('many@example.com'))];
    expect(sessionsOf(await asPage(cookie, '/session'))).to.have.length(10);
  });

  it('are no keys, and keys are no sessions', async () => {
    const { json } = await rig.signUp('forms@example.com');
    const cookie = cookieOf(await signIn('forms@example.com'));
    const token = cookie.split('=')[1] ?? '';
    for (const sent of [token, `tkm_session_${token}`])
      for (const headers of [{ 'Api-Key': sent }, { Authorization: `Bearer ${sent}` }] as Headers[])
        expect((await rig.ask('/auth/me', { headers })).status).to.equal(401);
    expect((await asPage(`tickmark_session=${String(json['api_key'])}`, '/auth/me')).status).to.equal(401);
    const [{ id } = { id: '' }] = sessionsOf(await asPage(cookie, '/session'));
    expect((await asPage(cookie, `/account/keys/${id}`, { method: 'DELETE' })).json['code']).to.equal('key.unknown');
    expect((await asPage(cookie, '/auth/keys/rotate', { method: 'POST' })).json['code']).to.equal('key.unknown');
    const linked = await rig.withKey(json['api_key'], '/session/link', { method: 'POST' });
    expect([linked.status, linked.json['code']]).to.deep.equal([403, 'session.link_refused']);
  });

  it('change neither the password nor delete the account', async () => {
    const cookie = await signedIn('careful@example.com');
    const body = { password: 'another one 43', confirm_password: 'another one 43' };
    expect((await asPage(cookie, '/account/password', { body })).status).to.equal(401);
    expect((await asPage(cookie, '/account', { method: 'DELETE' })).status).to.equal(401);
  });

  it('give the same refusal for a wrong password and an unknown e-mail, without the question of the browser', async () => {
    await rig.signUp('wrong@example.com');
    const answers = [
      await signIn('wrong@example.com', { password: `${PASSWORD}!` }),
      await signIn('unknown@example.com'),
      await signIn('local@tickmark.invalid'),
    ];
    expect(new Set(answers.map(({ status, text, json }) => `${status} ${text.replace(String(json['requestId']), '')}`))).to.have.length(1);
    for (const { headers } of answers) expect(headers['www-authenticate']).to.not.match(/^Basic/);
  });

  it('open a live connection of their own page, and of no other one', async () => {
    const cookie = await signedIn('live@example.com');
    const openedBy = (headers: Headers): Promise<string> =>
      new Promise((resolve) => {
        const socket = new WebSocket(`${own.replace('http', 'ws')}/auth/live`, ['tickmark.v1'], {
          headers: { Cookie: cookie, ...headers },
        });
        socket.on('open', () => socket.send(JSON.stringify({ type: 'watch' })));
        socket.on('message', (data: Buffer) => {
          resolve((JSON.parse(data.toString()) as { code?: string }).code === 'auth.key_refused' ? 'refused' : 'answered');
          socket.close();
        });
        socket.on('unexpected-response', (_request, response) => resolve(String(response.statusCode)));
        socket.on('error', () => {});
        socket.on('close', (code) => resolve(String(code)));
      });
    expect(await openedBy({ Origin: own })).to.equal('answered');
    expect(await openedBy({ Origin: 'http://evil.example' }), 'another origin').to.equal('403');
    expect(await openedBy({ Origin: 'http://listed.example' }), 'over CORS').to.equal('refused');
    expect(await openedBy({}), 'without Origin').to.equal('refused');
  });
});
