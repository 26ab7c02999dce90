import { expect } from 'chai';
import { ROUTES } from '../../src/contract/routes.ts';
import { exampleTickRequest } from '../../src/contract/tickForecast.ts';
import { fakeParts, GOOD_KEY, MODEL } from '../support/fakeParts.ts';
import { request } from '../support/request.ts';
import { startTestServer, suiteServer } from '../support/testServer.ts';

const ACCOUNT = { email: 'trader@example.com', password: 'correct horse 42', confirm_password: 'correct horse 42' };

describe('routes of a ready service', () => {
  const parts = fakeParts();
  const server = suiteServer(parts);

  it('signs up with the key only in the first answer, not to be stored', async () => {
    const answer = await request(server.url, '/signup', { body: ACCOUNT });
    expect(answer.status).to.equal(201);
    expect(answer.headers['cache-control']).to.equal('no-store');
    expect(answer.json).to.include({ email: ACCOUNT.email, api_key: GOOD_KEY });
    for (const { method, path } of Object.values(ROUTES)) {
      if (method !== 'GET') continue;
      const { text } = await request(server.url, path.replace('{id}', MODEL.id), { headers: { 'Api-Key': GOOD_KEY } });
      expect(text, path).to.not.include(GOOD_KEY);
    }
  });

  it('answers a forecast with one entry for each timestamp, null except for the last', async () => {
    const body = exampleTickRequest();
    const answer = await request(server.url, '/auth/ti-tick', { body, headers: { 'Api-Key': GOOD_KEY } });
    expect(answer.status).to.equal(200);
    expect(Object.keys(answer.json)).to.deep.equal(body.Timestamp);
    expect(answer.text.match(/"trend_identified":null/g)).to.have.length(199);
    expect(answer.text).to.match(/"trend_identified":1\}\}$/);
  });

  it('answers only the last entry with ?answer=last, never compressed, from a body of any form', async () => {
    const body = exampleTickRequest();
    const future = body.Timestamp.at(-1)!;
    const expected = `{"timestamp":"${future}","trend_identified":1,"status":"identified","reason":null}`;
    const forms = [JSON.stringify(body), JSON.stringify(body, null, 2), JSON.stringify(body).replaceAll('2024', '\\u0032024')];
    for (const sent of forms) {
      const headers = { 'Content-Type': 'application/json', 'Api-Key': GOOD_KEY, 'Accept-Encoding': 'gzip' };
      const answer = await request(server.url, '/auth/ti-tick?answer=last', { method: 'POST', body: sent, headers });
      expect([answer.status, answer.text]).to.deep.equal([200, expected]);
      expect(answer.headers['content-type']).to.equal('application/json');
      expect(answer.headers['content-encoding']).to.equal(undefined);
      expect(answer.headers['content-length']).to.equal(String(expected.length));
    }
    const bad = await request(server.url, '/auth/ti-tick?answer=last', { body: { ...body, Price: [] }, headers: { 'Api-Key': GOOD_KEY } });
    expect([bad.status, bad.json['code']]).to.deep.equal([422, 'request.invalid']);
  });

  it('accepts every documented query parameter', async () => {
    const path = `/auth/ti-tick?answer=last&detail=full&min_move_bps=2.5&model=${MODEL.id}&timing=server`;
    const answer = await request(server.url, path, { body: exampleTickRequest(), headers: { 'Api-Key': GOOD_KEY } });
    expect(answer.status).to.equal(200);
  });

  it('answers the owner of a key, without the key', async () => {
    const answer = await request(server.url, '/auth/me', { headers: { 'Api-Key': GOOD_KEY } });
    expect(answer.json).to.deep.include({ email: 'trader@example.com', company_id: null });
    expect(answer.json['key']).to.deep.include({ created_at: '2024-01-02T00:00:00.000Z', expires_at: null });
  });

  it('lists the models and shows one', async () => {
    expect((await request(server.url, '/models')).json['default']).to.equal(MODEL.id);
    expect((await request(server.url, `/models/${MODEL.id}`)).json['id']).to.equal(MODEL.id);
    for (const id of ['nothing', '%2e%2e%2fsecret', '%E0%A4%A']) {
      expect((await request(server.url, `/models/${id}`)).json['code'], id).to.equal('model.unknown');
    }
  });

  it('gives the files of a loaded version to the owner of a key', async () => {
    const headers = { 'Api-Key': GOOD_KEY };
    const { status, json, headers: sent } = await request(server.url, `/auth/models/${MODEL.id}/files`, { headers });
    expect([status, json['id'], json['files']]).to.deep.equal([200, MODEL.id, {}]);
    const again = { ...headers, 'If-None-Match': String(sent['etag']) };
    expect((await request(server.url, `/auth/models/${MODEL.id}/files`, { headers: again })).status).to.equal(304);
    for (const [id, key, code] of [
      ['nothing', GOOD_KEY, 'model.unknown'],
      ['%2e%2e%2fsecret', GOOD_KEY, 'model.unknown'],
      [MODEL.id, 'tkm_live_wrong', 'auth.key_refused'],
    ] as const)
      expect((await request(server.url, `/auth/models/${id}/files`, { headers: { 'Api-Key': key } })).json['code'], id).to.equal(code);
  });

  it('lists the rule sets and shows one with all its rules', async () => {
    const list = await request(server.url, '/rules');
    const id = list.json['default'] as string;
    expect(list.json['rulesets']).to.have.length(1);
    const set = await request(server.url, `/rules/${id}`);
    expect(set.json).to.deep.include({ id, version: 1 });
    const [first] = set.json['rules'] as Record<string, unknown>[];
    expect(first).to.have.all.keys('id', 'kind', 'text', 'when', 'horizons', 'weights', 'sign', 'bound', 'neutral', 'threshold');
    for (const other of ['nothing', '%2e%2e%2fsecret', '__proto__'])
      expect((await request(server.url, `/rules/${other}`)).json['code'], other).to.equal('rules.unknown');
  });

  it('returns a sample that it can answer, and computes its forecast once', async () => {
    const sample = await request(server.url, '/sample');
    const posted = await request(server.url, '/auth/ti-tick', { body: sample.json, headers: { 'Api-Key': GOOD_KEY } });
    expect(posted.status).to.equal(200);
    const before = parts.calls.forecast;
    const [first, second] = [await request(server.url, '/sample/forecast'), await request(server.url, '/sample/forecast')];
    expect(first.text).to.equal(second.text);
    expect(parts.calls.forecast - before).to.be.at.most(1);
  });

  it('answers live, ready, index and the API description', async () => {
    expect((await request(server.url, '/health/live')).json).to.deep.equal({ status: 'live' });
    expect((await request(server.url, '/health/ready?probe=1')).json).to.include({ status: 'ready', backend: 'cpu' });
    expect((await request(server.url, '/')).json).to.have.property('next');
    expect((await request(server.url, '/openapi.json')).json).to.include({ openapi: '3.1.0' });
  });

  it('answers HEAD as GET without the body', async () => {
    const answer = await request(server.url, '/sample', { method: 'HEAD' });
    const { text } = await request(server.url, '/sample');
    expect([answer.status, answer.text, Number(answer.headers['content-length'])]).to.deep.equal([200, '', text.length]);
  });

  it('answers other methods with 405 and Allow, and unknown paths with 404', async () => {
    for (const method of ['PUT', 'TRACE', 'DELETE', 'OPTIONS', 'PATCH', 'GET', 'HEAD']) {
      const answer = await request(server.url, '/signup', { method });
      expect([answer.status, answer.headers['allow']], method).to.deep.equal([405, 'POST']);
    }
    const sample = await request(server.url, '/sample', { method: 'PUT' });
    expect([sample.status, sample.headers['allow']]).to.deep.equal([405, 'GET, HEAD']);
    for (const path of ['/nothing', '/SIGNUP', '/signup/', '/models/', '//signup', '/__proto__', '/constructor', '/%']) {
      const answer = await request(server.url, path, { method: 'POST' });
      expect([answer.status, answer.json['code']], path).to.deep.equal([404, 'route.not_found']);
    }
  });

  it('sends the same security headers with answers and problems, and does not reveal its framework', async () => {
    for (const path of ['/health/live', '/nothing']) {
      const { headers } = await request(server.url, path);
      expect(headers).to.include({ 'x-content-type-options': 'nosniff', 'x-frame-options': 'DENY', 'referrer-policy': 'no-referrer' });
      expect(headers['content-security-policy']).to.equal("default-src 'none'; frame-ancestors 'none'");
      expect(headers).to.not.have.any.keys('x-powered-by', 'access-control-allow-origin');
    }
  });
});

describe('routes of a starting service', () => {
  it('answers live, and 503 with Retry-After for routes that need loaded parts', async () => {
    const server = await startTestServer(undefined, {}, 'starting');
    server.state.parts = undefined;
    try {
      expect((await request(server.url, '/health/live')).status).to.equal(200);
      for (const path of ['/health/ready', '/models', '/auth/me', '/sample', '/sample/forecast']) {
        const answer = await request(server.url, path);
        expect([answer.status, answer.json['code'], answer.headers['retry-after']], path).to.deep.equal([503, 'service.not_ready', '1']);
      }
    } finally {
      await server.close();
    }
  });
});
