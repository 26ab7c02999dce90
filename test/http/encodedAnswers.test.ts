import * as http from 'node:http';
import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { exampleTickRequest } from '../../src/contract/tickForecast.ts';
import { fakeParts, GOOD_KEY, MODEL } from '../support/fakeParts.ts';
import { suiteServer } from '../support/testServer.ts';

type Raw = { status: number; headers: http.IncomingHttpHeaders; bytes: Buffer };

describe('validators and compression of answers', () => {
  const parts = fakeParts();
  const REVALIDATED = [
    '/openapi.json',
    '/models',
    `/models/${MODEL.id}`,
    '/rules',
    `/rules/${parts.rules.list().default}`,
    '/sample',
    '/sample/forecast',
  ];
  const server = suiteServer(parts);

  const ask = (path: string, headers: Record<string, string> = {}, body?: string, method = 'GET'): Promise<Raw> =>
    new Promise((resolve, reject) => {
      const sent = http.request(server.url + path, { method: body === undefined ? method : 'POST', headers }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject);
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, bytes: Buffer.concat(chunks) }));
      });
      sent.on('error', reject);
      sent.end(body);
    });

  it('answers 304 without a body to its own ETag, in every form of the header', async () => {
    for (const path of REVALIDATED) {
      const { headers } = await ask(path);
      const tag = headers.etag ?? '';
      expect(tag, path).to.match(/^W\/"[\w-]{27}"$/);
      expect(headers['cache-control'], path).to.equal('no-cache');
      for (const named of [tag, tag.slice(2), `"other", ${tag}`, '*']) {
        for (const method of ['GET', 'HEAD']) {
          const again = await ask(path, { 'If-None-Match': named, 'Accept-Encoding': 'gzip' }, undefined, method);
          expect([again.status, again.bytes.length, again.headers.etag], `${path} ${named}`).to.deep.equal([304, 0, tag]);
          expect(again.headers).to.not.have.any.keys('content-type', 'content-encoding');
          expect(again.headers['vary']).to.match(/Accept-Encoding/);
        }
      }
      for (const named of ['"other"', 'other', '', '""']) expect((await ask(path, { 'If-None-Match': named })).status, named).to.equal(200);
    }
  });

  it('returns another ETag when the answer changes', async () => {
    const { headers } = await ask('/models');
    const before = server.state.parts;
    server.state.parts = { ...parts, models: { ...parts.models, list: () => ({ ...parts.models.list(), default: 'another' }) } };
    const changed = await ask('/models', { 'If-None-Match': headers.etag ?? '' });
    server.state.parts = before;
    expect(changed.status).to.equal(200);
    expect(changed.headers.etag).to.not.equal(headers.etag);
  });

  it('compresses large answers for callers that accept gzip, with Vary', async () => {
    const taken = ['gzip', 'deflate, gzip;q=0.5', 'br;q=1, *;q=0.1', 'GZIP'];
    const refused = ['', 'identity', 'br', 'gzip;q=0', 'gzip;q=0.000, *', '*;q=0'];
    for (const path of ['/openapi.json', '/sample', '/sample/forecast']) {
      const plain = await ask(path);
      for (const coding of taken) {
        const { headers, bytes } = await ask(path, { 'Accept-Encoding': coding });
        expect([headers['content-encoding'], Number(headers['content-length'])], coding).to.deep.equal(['gzip', bytes.length]);
        expect(headers['vary']).to.equal('Accept-Encoding');
        expect(bytes.length).to.be.below(plain.bytes.length / 3);
        expect(gunzipSync(bytes).equals(plain.bytes), path).to.equal(true);
        expect(headers.etag).to.equal(plain.headers.etag);
      }
      for (const coding of refused) {
        const { headers, bytes } = await ask(path, { 'Accept-Encoding': coding });
        expect(headers, coding).to.not.have.property('content-encoding');
        expect(headers['vary']).to.equal('Accept-Encoding');
        expect(bytes.equals(plain.bytes)).to.equal(true);
      }
    }
    expect((await ask('/rules', { 'Accept-Encoding': 'gzip' })).headers, 'small').to.not.have.property('content-encoding');
  });

  it('does not compress a forecast of 500 ticks or a problem, and compresses one of 3000 and a batch', async () => {
    const headers = { 'Content-Type': 'application/json', 'Api-Key': GOOD_KEY, 'Accept-Encoding': 'gzip, deflate' };
    const stamps = (count: number): string =>
      JSON.stringify({
        Timestamp: Array.from({ length: count }, (_, i) => new Date(Date.UTC(2024, 0, 2) + i * 1000).toISOString().slice(0, -1)),
        Price: Array.from({ length: count }, (_, i) => (i === count - 1 ? 0 : 100)),
      });
    const of500 = await ask('/auth/ti-tick', headers, stamps(501));
    expect([of500.status, of500.headers['content-encoding']]).to.deep.equal([200, undefined]);
    const plain = await ask('/auth/ti-tick', { ...headers, 'Accept-Encoding': 'identity' }, stamps(3001));
    const of3000 = await ask('/auth/ti-tick', headers, stamps(3001));
    expect(of3000.headers['content-encoding']).to.equal('gzip');
    expect(gunzipSync(of3000.bytes).equals(plain.bytes)).to.equal(true);
    const batch = await ask('/auth/ti-tick/batch', headers, `{"items":[${Array<string>(8).fill(stamps(501)).join(',')}]}`);
    expect(batch.headers['content-encoding']).to.equal('gzip');
    expect((JSON.parse(gunzipSync(batch.bytes).toString()) as { results: unknown[] }).results).to.have.length(8);
    const problem = await ask('/auth/ti-tick', headers, JSON.stringify({ ...exampleTickRequest(), Price: [] }));
    expect([problem.status, problem.headers['content-encoding']]).to.deep.equal([422, undefined]);
  });
});
