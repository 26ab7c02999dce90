import { expect } from 'chai';
import { isBroken, parseProxyLine } from '../../../../bench/replicas/proxyLog.ts';

describe('the log of HAProxy', () => {
  const lineOf = (server: string, status: number, ending: string): string =>
    `127.0.0.1:36876 [24/Nov/2026:19:20:39.183] tickmark replicas/${server} 0/0/0/15/15 ${status} 16723 - - ${ending} 2/2/0/0/+1 0/0 "POST /auth/ti-tick HTTP/1.1"`;

  it('names the replica of each request, and how it ended', () => {
    expect(parseProxyLine(lineOf('replica-3', 200, '----'))).to.deep.equal({ replica: 'replica-3', status: 200, ending: '--' });
    expect(parseProxyLine(lineOf('<NOSRV>', -1, 'SC--'))).to.deep.equal({ replica: '<NOSRV>', status: -1, ending: 'SC' });
    expect(parseProxyLine('Server replicas/replica-1 is DOWN, reason: Layer4 connection problem')).to.equal(undefined);
  });

  it('tells broken requests from answers, also from those that a replica refuses', () => {
    const brokenOf = (status: number, ending: string): boolean => isBroken(parseProxyLine(lineOf('replica-1', status, ending))!);
    expect([brokenOf(502, 'SH--'), brokenOf(200, 'SD--'), brokenOf(-1, 'SH--')]).to.deep.equal([true, true, true]);
    expect([brokenOf(200, '----'), brokenOf(503, '----'), brokenOf(429, '----')]).to.deep.equal([false, false, false]);
  });
});
