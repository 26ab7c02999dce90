import * as net from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { exampleTickRequest } from '../../src/contract/tickForecast.ts';
import { fakeParts, GOOD_KEY } from '../support/fakeParts.ts';
import { hostileBodies } from '../support/hostileBodies.ts';
import { request, type Answer } from '../support/request.ts';
import { exchange, parseRaw, suiteServer } from '../support/testServer.ts';

const MIB = 1024 * 1024;

type Body = { Timestamp: unknown[]; Price: unknown[] };
type Problems = { pointer: string; code: string; detail: string }[];

/** Rows 1 to 7, 10, 12 and 50 of docs/explanation/reliability.md, against a real listening server. */
describe('hostile requests', () => {
  const parts = fakeParts();
  const server = suiteServer(parts);

  const post = (body: unknown, headers: Record<string, string> = {}, path = '/auth/ti-tick'): Promise<Answer> =>
    request(server.url, path, { method: 'POST', body, headers: { 'Content-Type': 'application/json', 'Api-Key': GOOD_KEY, ...headers } });
  const ticks = (change: (body: Body) => void = () => {}): Body => {
    const body: Body = exampleTickRequest();
    change(body);
    return body;
  };
  const problems = (answer: Answer): Problems => (answer.json['errors'] ?? []) as Problems;
  const outcome = (answer: Answer): unknown[] => [answer.status, answer.json['code']];
  const firstProblem = (answer: Answer): string[] => [problems(answer)[0]?.pointer ?? '', problems(answer)[0]?.code ?? ''];
  /** `count` entries: one tick per second, starting on a fixed day, and the future entry. */
  const entries = (count: number): Body => ({
    Timestamp: Array.from({ length: count }, (_, i) => new Date(Date.UTC(2024, 0, 2) + i * 1000).toISOString()),
    Price: Array.from({ length: count }, (_, i) => (i === count - 1 ? 0 : 100 + (i % 7))),
  });

  describe('body limit (row 1)', () => {
    const over = 'a'.repeat(1024 * 1024 + 1);

    it('refuses a longer Content-Length before the body is read, and closes', async () => {
      const head = `POST /auth/ti-tick HTTP/1.1\r\nHost: x\r\nApi-Key: ${GOOD_KEY}\r\nContent-Type: application/json\r\n`;
      const { status, head: fields } = parseRaw(
        await exchange(server.port, `${head}Expect: 100-continue\r\nContent-Length: ${over.length}\r\n\r\n`),
      );
      expect(status).to.equal(413);
      expect(fields).to.match(/Connection: close/i);
    });

    it('refuses the same with the body sent, and chunked', async () => {
      const plain = await post(over);
      expect(outcome(plain)).to.deep.equal([413, 'request.too_large']);
      expect(plain.headers.connection).to.equal('close');
      const chunked = await post(over, { 'Transfer-Encoding': 'chunked' });
      expect(outcome(chunked)).to.deep.equal([413, 'request.too_large']);
      expect(chunked.headers.connection).to.equal('close');
    });

    it('answers the complete request before extra bytes after a short Content-Length, and closes', async () => {
      const head = `POST /auth/ti-tick HTTP/1.1\r\nHost: x\r\nApi-Key: ${GOOD_KEY}\r\nContent-Type: application/json\r\n`;
      const text = await exchange(server.port, `${head}Content-Length: 4\r\n\r\n{"a":"long"}`);
      expect(parseRaw(text).status).to.be.oneOf([400, 422]);
      expect(text.match(/HTTP\/1\.1/g)).to.have.length(1);
    });

    it('stops reading a chunked body that never ends', async () => {
      const socket = net
        .connect(server.port, '127.0.0.1')
        .on('error', () => {})
        .resume();
      const closed = new Promise((resolve) => socket.once('close', resolve));
      const chunk = `10000\r\n${'a'.repeat(0x10000)}\r\n`;
      socket.write(`POST /signup HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`);
      while (!socket.destroyed && socket.bytesWritten < 256 * MIB)
        if (!socket.write(chunk)) await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), closed]);
      await closed;
      // The limit, the bytes that are read and dropped while the answer is sent, and the buffers of the system.
      expect(socket.bytesWritten).to.be.below(32 * MIB);
      expect(server.logged.at(-1)).to.include({ route: '/signup', status: 413 });
    });

    it('accepts a body of exactly the limit', async () => {
      expect(outcome(await post(`"${'a'.repeat(1024 * 1024 - 2)}"`))).to.deep.equal([422, 'request.invalid']);
    });
  });

  describe('compression (row 2)', () => {
    it('accepts gzip', async () => {
      expect((await post(gzipSync(JSON.stringify(ticks())), { 'Content-Encoding': 'gzip' })).status).to.equal(200);
    });

    it('counts decompressed bytes', async () => {
      const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, ' '));
      expect(outcome(await post(bomb, { 'Content-Encoding': 'gzip' }))).to.deep.equal([413, 'request.too_large']);
    });

    it('refuses broken gzip with 400 and other encodings with 415', async () => {
      expect(outcome(await post('not gzip', { 'Content-Encoding': 'gzip' }))).to.deep.equal([400, 'request.malformed_json']);
      for (const encoding of ['br', 'deflate', 'gzip, gzip', 'zstd']) {
        const answer = await post('x', { 'Content-Encoding': encoding });
        expect(outcome(answer), encoding).to.deep.equal([415, 'request.encoding_unsupported']);
        expect(answer.headers['accept-encoding']).to.equal('gzip');
      }
    });
  });

  it('refuses every media type except JSON in UTF-8 with 415, before the key (row 3)', async () => {
    for (const type of ['text/plain', 'application/json; charset=utf-16', 'application/jsonp', 'application/json, text/plain', '']) {
      const answer = await post('{}', { 'Content-Type': type, 'Api-Key': 'bad' });
      expect(outcome(answer), type).to.deep.equal([415, 'request.media_type_unsupported']);
    }
    const none = await request(server.url, '/signup', { method: 'POST' });
    expect(outcome(none)).to.deep.equal([415, 'request.media_type_unsupported']);
    for (const type of ['application/json', 'Application/JSON; charset="UTF-8"', 'application/json;']) {
      expect((await post(JSON.stringify(ticks()), { 'Content-Type': type })).status, type).to.equal(200);
    }
  });

  it('limits the lengths with a pointer to the field (row 4)', async () => {
    expect((await post(entries(200))).status).to.equal(200);
    expect((await post(entries(3001))).status).to.equal(200);
    expect(firstProblem(await post(entries(199)))).to.deep.equal(['/Timestamp', 'ticks.too_few']);
    expect(firstProblem(await post(entries(3002)))).to.deep.equal(['/Timestamp', 'ticks.too_many']);
    expect(firstProblem(await post({ Timestamp: [], Price: [] }))).to.deep.equal(['/Timestamp', 'ticks.too_few']);
    expect(firstProblem(await post(ticks((body) => body.Price.pop())))).to.deep.equal(['/Price', 'ticks.lengths_differ']);
    expect(firstProblem(await post({}))).to.deep.equal(['/Timestamp', 'field.missing']);
  });

  it('points to every invalid number, and does not run the network (row 5)', async () => {
    const before = parts.calls.forecast;
    const text = JSON.stringify(ticks((body) => (body.Price[3] = 'HERE')));
    const cases: [string, number, string, string][] = [
      ['1e999', 422, '/Price/3', 'price.not_finite'],
      ['-1', 422, '/Price/3', 'price.not_positive'],
      ['0', 422, '/Price/3', 'price.not_positive'],
      ['1e12', 422, '/Price/3', 'price.too_large'],
      ['"1"', 422, '/Price/3', 'field.wrong_type'],
      ['null', 422, '/Price/3', 'field.wrong_type'],
      ['[1]', 422, '/Price/3', 'field.wrong_type'],
    ];
    for (const [literal, status, pointer, code] of cases) {
      const answer = await post(text.replace('"HERE"', literal));
      expect([answer.status, ...firstProblem(answer)], literal).to.deep.equal([status, pointer, code]);
    }
    for (const literal of ['NaN', '-Infinity', '01', '+1', '1.', '0x1']) {
      expect(outcome(await post(text.replace('"HERE"', literal))), literal).to.deep.equal([400, 'request.malformed_json']);
    }
    const future = await post(ticks((body) => (body.Price[199] = 5)));
    expect(firstProblem(future)).to.deep.equal(['/Price/199', 'price.future_not_zero']);
    expect(parts.calls.forecast).to.equal(before);
  });

  describe('shape (row 6)', () => {
    it('refuses unknown fields, including __proto__, and changes no prototype', async () => {
      for (const name of ['__proto__', 'constructor', 'extra', 'timestamp']) {
        const answer = await post(JSON.stringify(ticks()).replace('{', `{${JSON.stringify(name)}:{"polluted":1},`));
        expect(firstProblem(answer), name).to.deep.equal([`/${name}`, 'field.unknown']);
      }
      expect(({} as { polluted?: number }).polluted).to.equal(undefined);
    });

    it('refuses a key that occurs twice, also written with escapes', async () => {
      const text = JSON.stringify(ticks());
      for (const twice of ['"Price":[]', '"Pr\\u0069ce" : []', '"Price"\n:[1]']) {
        expect(outcome(await post(text.replace('{', `{${twice},`))), twice).to.deep.equal([400, 'request.duplicate_key']);
      }
    });

    it('refuses a body that is not an object', async () => {
      for (const text of ['[]', '"text"', '1', 'null', 'true']) {
        expect(firstProblem(await post(text)), text).to.deep.equal(['', 'body.not_object']);
      }
      expect(outcome(await post(''))).to.deep.equal([400, 'request.malformed_json']);
    });

    it('refuses invalid UTF-8, and takes a byte order mark for no part of the text', async () => {
      const invalid = Buffer.from(JSON.stringify(ticks()).replace('2024', 'XYZ4'), 'latin1');
      invalid[invalid.indexOf('XYZ4')] = 0xff;
      expect(outcome(await post(invalid))).to.deep.equal([400, 'request.malformed_json']);
      expect((await post(`\ufeff${JSON.stringify(ticks())}`)).status).to.equal(200);
      expect(outcome(await post(`\ufeff\ufeff${JSON.stringify(ticks())}`))).to.deep.equal([400, 'request.malformed_json']);
    });

    // `npm run bench -- bodies` measures how long these block the event loop; this test does not.
    it('answers deep and wide bodies with 4xx', async () => {
      const { deep, deepPrice, longArray, wide, nested } = hostileBodies();
      for (const body of [deep, nested]) expect((await post(body)).json['detail']).to.equal('The body nests deeper than 64 levels.');
      expect((await post(wide)).json['detail']).to.equal('The body names more than 10000 keys.');
      for (const body of [deepPrice, longArray]) expect((await post(body)).status, body.slice(0, 20)).to.be.oneOf([400, 422]);
    });

    it('limits the number of problems and the length of quoted values', async () => {
      const answer = await post(ticks((body) => body.Price.fill('x'.repeat(400))));
      expect(problems(answer)).to.have.length(20);
      const longName = await post(JSON.stringify({ ['n'.repeat(100_000)]: 1 }));
      expect(longName.text.length).to.be.below(2000);
      expect((await post(ticks(), {}, `/auth/ti-tick?${'q'.repeat(3000)}=1`)).text.length).to.be.below(2000);
    });
  });

  it('refuses unknown, repeated and malformed query parameters (422 with ?name)', async () => {
    const cases: [string, string, string][] = [
      ['verbose=1', '?verbose', 'query.unknown'],
      ['detail=full&detail=full', '?detail', 'query.repeated'],
      ['detail=some', '?detail', 'query.malformed'],
      ['detail', '?detail', 'query.malformed'],
      ['answer=full', '?answer', 'query.malformed'],
      ['answer', '?answer', 'query.malformed'],
      ['answer=last&answer=last', '?answer', 'query.repeated'],
      ['min_move_bps=NaN', '?min_move_bps', 'query.malformed'],
      ['min_move_bps=1e5', '?min_move_bps', 'min_move_bps.out_of_range'],
    ];
    for (const [query, pointer, code] of cases) {
      for (const path of ['/auth/ti-tick', '/auth/ti-tick/batch'])
        expect(firstProblem(await post(ticks(), {}, `${path}?${query}`)), `${path} ${query}`).to.deep.equal([pointer, code]);
    }
    expect((await post(ticks(), {}, '/auth/ti-tick?min_move_bps=10000')).status).to.equal(200);
    expect(outcome(await post(ticks(), {}, '/auth/ti-tick?model=none'))).to.deep.equal([404, 'model.unknown']);
    expect(firstProblem(await request(server.url, '/models?x=1'))).to.deep.equal(['?x', 'query.unknown']);
  });

  describe('headers (row 7)', () => {
    it('answers a 9 KB Api-Key with 431', async () => {
      const raw = parseRaw(await exchange(server.port, `GET /auth/me HTTP/1.1\r\nHost: x\r\nApi-Key: ${'k'.repeat(9 * 1024)}\r\n\r\n`));
      expect([raw.status, raw.problem['code']]).to.deep.equal([431, 'request.headers_too_large']);
      expect(raw.head)
        .to.match(/X-Request-Id: /i)
        .and.match(/Connection: close/i);
    });

    it('answers 500 short headers with 431, and never drops an Api-Key silently', async () => {
      const many = Array.from({ length: 500 }, (_, i) => `a${i}: b\r\n`).join('');
      const raw = parseRaw(await exchange(server.port, `GET /auth/me HTTP/1.1\r\nHost: x\r\n${many}Api-Key: ${GOOD_KEY}\r\n\r\n`));
      expect([raw.status, raw.problem['code']]).to.deep.equal([431, 'request.headers_too_large']);
      const some = Array.from({ length: 97 }, (_, i) => `a${i}: b\r\n`).join('');
      const text = await exchange(
        server.port,
        `GET /auth/me HTTP/1.1\r\nHost: x\r\n${some}Api-Key: ${GOOD_KEY}\r\nConnection: close\r\n\r\n`,
      );
      expect(parseRaw(text).status).to.equal(200);
    });
  });

  it('answers bytes that are not a request with a 400 problem and closes (row 10)', async () => {
    const host = 'Host: x\r\n';
    const post = `POST /signup HTTP/1.1\r\n${host}Content-Type: application/json\r\n`;
    const cases = [
      `${post}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      `${post}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`,
      `GET / HTTP/1.1\nHost: x\n\n`,
      `GET / HTTP/1.1\r\n${host}X-A: a\0b\r\n\r\n`,
      `GET / HTTP/1.1\r\n\r\n`,
      `\x16\x03\x01\x02\x00`,
      `FETCH / HTTP/1.1\r\n${host}\r\n`,
      `GET http://[/health HTTP/1.1\r\n${host}\r\n`,
      `GET / HTTP/1.1\r\n${host}${host}\r\n`,
      `GET /auth/me HTTP/1.1\r\n${host}Authorization: Bearer ${GOOD_KEY}\r\nAuthorization: Bearer x\r\n\r\n`,
      `${post}Content-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}`,
    ];
    for (const bytes of cases) {
      const raw = parseRaw(await exchange(server.port, bytes));
      expect([raw.status, raw.problem['code']], JSON.stringify(bytes)).to.deep.equal([400, 'request.malformed_http']);
      expect(raw.head).to.match(/Connection: close/i);
    }
  });

  it('refuses every Transfer-Encoding except chunked, and closes', async () => {
    const head = `POST /auth/ti-tick HTTP/1.1\r\nHost: x\r\nApi-Key: ${GOOD_KEY}\r\nContent-Type: application/json\r\n`;
    const body = JSON.stringify(ticks());
    const framed = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    for (const coding of ['gzip, chunked', 'identity, chunked', 'chunked, chunked', 'gzip\r\nTransfer-Encoding: chunked']) {
      const text = await exchange(server.port, `${head}Transfer-Encoding: ${coding}\r\n\r\n${framed}`);
      const raw = parseRaw(text);
      expect([raw.status, raw.problem['code']], coding).to.deep.equal([400, 'request.malformed_http']);
      expect(raw.head).to.match(/Connection: close/i);
    }
    const plain = await exchange(server.port, `${head}Transfer-Encoding: Chunked\r\nConnection: close\r\n\r\n${framed}`);
    expect(parseRaw(plain).status).to.equal(200);
  });

  it('answers CONNECT with a 405 problem and closes, after the answer to the previous request', async () => {
    const connect = 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n';
    const raw = parseRaw(await exchange(server.port, [connect, '\x16\x03\x01']));
    expect([raw.status, raw.problem['code']]).to.deep.equal([405, 'route.method_not_allowed']);
    expect(raw.head)
      .to.match(/^Allow: DELETE, GET, HEAD, PATCH, POST$/im)
      .and.match(/Connection: close/i);
    const text = await exchange(server.port, `GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n${connect}`);
    expect(text).to.match(/^HTTP\/1\.1 200 /);
    expect((await request(server.url, '/health/live')).status).to.equal(200);
  });

  it('accepts the whole URL as the target, as a proxy sends it', async () => {
    const text = await exchange(server.port, 'GET http://x.example/health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    expect(text).to.match(/^HTTP\/1\.1 200 /);
  });

  it('answers the requests before an upgrade on the same connection in order, and closes without the upgrade', async () => {
    const body = JSON.stringify(ticks());
    const ask = `POST /auth/ti-tick HTTP/1.1\r\nHost: x\r\nApi-Key: ${GOOD_KEY}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const upgrade = `GET /auth/live HTTP/1.1\r\nHost: x\r\nApi-Key: ${GOOD_KEY}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`;
    for (const before of [1, 3]) {
      const statuses = (await exchange(server.port, ask.repeat(before) + upgrade)).match(/HTTP\/1\.1 \d+/g);
      expect(statuses).to.deep.equal(new Array(before).fill('HTTP/1.1 200'));
    }
  });

  it('answers an upgrade request as a plain one, with its body', async () => {
    const upgrade = 'Host: x\r\nConnection: Upgrade, close\r\n';
    for (const to of ['websocket', 'h2c']) {
      const live = await exchange(server.port, `GET /health/live HTTP/1.1\r\n${upgrade}Upgrade: ${to}\r\n\r\n`);
      expect(live, to).to.match(/^HTTP\/1\.1 200 /);
      const body = JSON.stringify(ticks());
      const fields = `${upgrade}Upgrade: ${to}\r\nApi-Key: ${GOOD_KEY}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
      expect(await exchange(server.port, `POST /auth/ti-tick HTTP/1.1\r\n${fields}\r\n${body}`), to).to.match(/^HTTP\/1\.1 200 /);
    }
    const preface = parseRaw(await exchange(server.port, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'));
    expect([preface.status, preface.problem['code']]).to.deep.equal([400, 'request.malformed_http']);
  });

  describe('keys (row 12)', () => {
    it('gives one identical 401 for every bad key, before the body is read', async () => {
      const seen = new Set<string>();
      for (const key of [
        undefined,
        '',
        'x',
        'tkm_live_unknownunknownunknown',
        `${GOOD_KEY} `.padEnd(60, 'x'),
        `${GOOD_KEY}, ${GOOD_KEY}`,
      ]) {
        const headers = { 'Content-Type': 'application/json', ...(key === undefined ? {} : { 'Api-Key': key }) };
        const answer = await request(server.url, '/auth/ti-tick', { method: 'POST', headers, body: '{not json' });
        expect(answer.status).to.equal(401);
        expect(answer.headers['www-authenticate']).to.match(/^ApiKey /);
        seen.add(answer.text.replace(String(answer.json['requestId']), ''));
      }
      const twice = `GET /auth/me HTTP/1.1\r\nHost: x\r\nApi-Key: ${GOOD_KEY}\r\nApi-Key: ${GOOD_KEY}\r\nConnection: close\r\n\r\n`;
      const raw = parseRaw(await exchange(server.port, twice));
      expect(raw.status).to.equal(401);
      seen.add(JSON.stringify(raw.problem).replace(String(raw.problem['requestId']), ''));
      expect([...seen]).to.have.length(1);
    });
  });

  it('refuses invalid sign-ups without repeating a password', async () => {
    const secret = 'hunter2hunter2';
    const good = { email: 'a@example.com', password: secret, confirm_password: secret };
    const cases: [unknown, string, string][] = [
      [{ ...good, confirm_password: `${secret} ` }, '/confirm_password', 'password.not_confirmed'],
      [{ ...good, password: [secret] }, '/password', 'field.wrong_type'],
      [{ ...good, confirm_password: { secret } }, '/confirm_password', 'field.wrong_type'],
      [{ ...good, pasword: secret }, '/pasword', 'field.unknown'],
      [{ ...good, email: undefined }, '/email', 'field.missing'],
      [{ ...good, email: { password: secret } }, '/email', 'field.wrong_type'],
      [{ ...good, company_id: null }, '/company_id', 'field.wrong_type'],
      [{ ...good, company_id: 'c'.repeat(129) }, '/company_id', 'company_id.too_long'],
      [secret, '', 'body.not_object'],
    ];
    for (const [body, pointer, code] of cases) {
      const answer = await post(JSON.stringify(body), {}, '/signup');
      expect([answer.status, ...firstProblem(answer)], code).to.deep.equal([422, pointer, code]);
      expect(answer.text).to.not.include(secret);
    }
    const broken = await post(`{"password":"${secret}" "x":1}`, {}, '/signup');
    expect(outcome(broken)).to.deep.equal([400, 'request.malformed_json']);
    expect(broken.text).to.not.include(secret);
    expect(JSON.stringify(server.logged)).to.not.include(secret);
  });

  it('refuses times that do not exist, never with 500 (row 50)', async () => {
    const cases: [string, string][] = [
      ['2024-02-30 00:00:00', 'timestamp.not_a_time'],
      ['2023-12-31 23:59:60', 'timestamp.not_a_time'],
      ['0001-01-01 00:00:00', 'timestamp.out_of_range'],
      ['9999-01-01 00:00:00', 'timestamp.out_of_range'],
      ['2023-11-05T01:30:00-24:00', 'timestamp.offset_unsupported'],
      ['yesterday', 'timestamp.malformed'],
    ];
    for (const [stamp, code] of cases) {
      const answer = await post(ticks((body) => (body.Timestamp[0] = stamp)));
      expect([answer.status, ...firstProblem(answer)], stamp).to.deep.equal([422, '/Timestamp/0', code]);
    }
  });
});
