import { expect } from 'chai';
import type { IncomingMessage } from 'node:http';
import { callerAddress, readBasic } from '../../../../src/service/http/identify.ts';

const basic = (text: string | Buffer): string => `Basic ${Buffer.from(text).toString('base64')}`;

describe('readBasic', () => {
  it('reads e-mail and password, with colons and any script', () => {
    expect(readBasic(basic('zoë@example.com:a:b 🔑'))).to.deep.equal({ email: 'zoë@example.com', password: 'a:b 🔑' });
    expect(readBasic(basic('a@b:').replace('Basic', 'bAsIc'))).to.deep.equal({ email: 'a@b', password: '' });
  });

  const others = [
    undefined,
    '',
    'Basic',
    'Basic ',
    'Bearer abc',
    basic('no colon'),
    basic(Buffer.from([0x61, 0x3a, 0xff])),
    'Basic a?b',
    'Basic YTpi, Basic YTpi',
  ];
  for (const header of others) it(`ignores ${header ?? 'no header'}`, () => expect(readBasic(header)).to.equal(undefined));
});

describe('callerAddress (row 23)', () => {
  const request = (forwarded?: string | string[]): IncomingMessage =>
    ({ socket: { remoteAddress: '10.0.0.1' }, headers: { 'x-forwarded-for': forwarded } }) as unknown as IncomingMessage;
  const cases: [what: string, forwarded: string | string[] | undefined, address: string][] = [
    ['one entry', '203.0.113.9', '203.0.113.9'],
    ['the last of several', '1.1.1.1, 2.2.2.2 ,203.0.113.9', '203.0.113.9'],
    ['the last of several fields', ['1.1.1.1', '203.0.113.9'], '203.0.113.9'],
    ['with a port', '203.0.113.9:4711', '203.0.113.9'],
    ['IPv6 with a port', '[2001:db8::1]:443', '2001:db8::1'],
    ['no field', undefined, '10.0.0.1'],
    ['a name', 'unknown', '10.0.0.1'],
    ['an empty last entry', '1.1.1.1,', '10.0.0.1'],
  ];
  for (const [what, forwarded, address] of cases) {
    it(`behind a trusted proxy: ${what}`, () => expect(callerAddress(request(forwarded), true)).to.equal(address));
    it(`without one, the address of the peer, whatever is sent: ${what}`, () =>
      expect(callerAddress(request(forwarded), false)).to.equal('10.0.0.1'));
  }
});
