import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect } from 'chai';
import { LoadShedder } from '../../../../src/service/http/LoadShedder.ts';
import type { HttpDeps, HttpOptions } from '../../../../src/service/http/HttpParts.ts';
import { FakeClock } from '../../../support/FakeClock.ts';
import { fakeParts, GOOD_KEY } from '../../../support/fakeParts.ts';

type Sent = { status: number; fields: Record<string, string>; body: string };

function knock(headers: Record<string, string>, state: Partial<HttpDeps['state']> = {}, method = 'POST'): Sent | undefined {
  let sent: Sent | undefined;
  const fields: Record<string, string> = {};
  const response = {
    statusCode: 0,
    once: () => {},
    setHeader: (name: string, value: string) => (fields[name] = value),
    end: (body: string) => (sent = { status: response.statusCode, fields, body }),
  };
  const request = {
    socket: { remoteAddress: '192.0.2.7' },
    method,
    url: '/auth/ti-tick',
    headers: { host: 'x', 'content-length': '9', ...headers },
  };
  const deps = {
    state: { phase: 'ready', parts: fakeParts(), ...state },
    clock: new FakeClock(),
    accessLog: () => {},
    onProblem: () => {},
  };
  const admission = { isBusy: true, refusalFor: (owner: string) => ({ detail: `No slot for ${owner}.`, retryAfterS: 7 }) };
  const shedder = new LoadShedder(deps as unknown as HttpDeps, { bodyLimitBytes: 100, trustProxy: true } as HttpOptions, admission);
  const hasAnswered = shedder.refuses(request as unknown as IncomingMessage, response as unknown as ServerResponse);
  expect(hasAnswered).to.equal(sent !== undefined);
  return sent;
}

describe('LoadShedder', () => {
  const key = { 'api-key': GOOD_KEY };

  it('checks the admission queue by key, and says when to retry', () => {
    const { status, fields, body } = knock(key)!;
    expect([status, fields['Retry-After']]).to.deep.equal([503, '7']);
    expect(JSON.parse(body)).to.include({ code: 'inference.overloaded', detail: 'No slot for key-1.' });
  });

  it('checks by address if the key is not known', () => {
    const { body } = knock({ 'api-key': 'unknown' })!;
    expect(JSON.parse(body)).to.include({ code: 'inference.overloaded', detail: 'No slot for 192.0.2.7.' });
  });

  it('refuses no request whose body length is unknown or large, or whose answer needs other headers', () => {
    const others: Record<string, string>[] = [
      { 'content-length': '' },
      { 'content-length': '101' },
      { expect: '100-continue' },
      { origin: 'http://elsewhere.example' },
    ];
    for (const headers of others) expect(knock({ ...key, ...headers }), JSON.stringify(headers)).to.equal(undefined);
    expect(knock({})).to.equal(undefined);
    expect(knock(key, {}, 'DELETE')).to.equal(undefined);
  });

  it('tells callers that used TLS to keep using it', () => {
    const sets = (forwarded: string): boolean =>
      knock({ ...key, 'x-forwarded-proto': forwarded })!.fields['Strict-Transport-Security'] === 'max-age=31536000';
    expect(['https', 'https, http', 'http', 'http, https', 'httpsx'].map(sets)).to.deep.equal([true, true, false, false, false]);
  });

  it('refuses nothing while the service starts or stops', () => {
    expect(knock(key, { phase: 'stopping' })).to.equal(undefined);
    expect(knock(key, { phase: 'starting', parts: undefined })).to.equal(undefined);
  });
});
