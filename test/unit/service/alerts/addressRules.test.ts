import { expect } from 'chai';
import { addressKind, urlFault } from '../../../../src/service/alerts/addressRules.ts';

describe('addressKind', () => {
  const kinds: Record<'public' | 'private' | 'never', string[]> = {
    public: ['1.1.1.1', '8.8.8.8', '100.63.255.255', '100.128.0.0', '172.15.0.1', '172.32.0.1', '223.255.255.255', '2606:4700::1111', '2a00::1'],
    private: ['10.0.0.1', '127.0.0.1', '127.255.255.255', '172.16.0.1', '172.31.255.255', '192.168.1.1', '100.64.0.1', '100.127.255.255', '192.0.2.1', '198.18.0.1', '203.0.113.9', '::1', 'fd00::1', 'fc00::1'],
    never: ['0.0.0.0', '169.254.169.254', '169.254.0.1', '224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255', '::', 'fe80::1', 'ff02::1', '::ffff:8.8.8.8', '::ffff:127.0.0.1', '64:ff9b::808:808', '2002:7f00:1::', '2001:db8::1', '2001::1', 'fec0::1', '', 'x', '1.2.3', '127.0.0.1 '],
  }; // prettier-ignore
  for (const [kind, addresses] of Object.entries(kinds)) {
    it(`is ${kind} for ${addresses.length} addresses`, () => {
      for (const address of addresses) expect(addressKind(address), address).to.equal(kind);
    });
  }
});

describe('urlFault', () => {
  it('accepts https URLs of names and public addresses', () => {
    for (const url of ['https://hooks.example.com/a?b=c', 'https://1.1.1.1:8443/', 'https://[2606:4700::1111]/x', 'HTTPS://EXAMPLE.COM'])
      expect(urlFault(url, false), url).to.equal(undefined);
  });

  it('refuses other protocols, credentials, fragments, and addresses in any notation', () => {
    const refused = [
      ['http://hooks.example.com/', 'https'],
      ['ftp://hooks.example.com/', 'https'],
      ['file:///etc/passwd', 'https'],
      ['hooks.example.com', 'a URL'],
      ['', 'a URL'],
      ['https://user:pass@hooks.example.com/', 'user name'],
      ['https://hooks.example.com/#x', 'fragment'],
      [`https://hooks.example.com/${'x'.repeat(2048)}`, 'characters'],
      ['https://localhost/', 'this machine'],
      ['https://a.localhost./', 'this machine'],
      ['https://169.254.169.254/latest/meta-data', 'private or reserved'],
      ['https://127.0.0.1/', 'private or reserved'],
      ['https://127.1/', 'private or reserved'],
      ['https://2130706433/', 'private or reserved'],
      ['https://0x7f000001/', 'private or reserved'],
      ['https://0177.0.0.1/', 'private or reserved'],
      ['https://[::ffff:127.0.0.1]/', 'private or reserved'],
      ['https://[::1]/', 'private or reserved'],
      ['https://0/', 'private or reserved'],
    ] as const;
    for (const [url, mention] of refused) expect(urlFault(url, false), url).to.include(mention);
  });

  it('counts the characters of a URL as they are stored', () => {
    const url = (letters: string): string => `https://example.com/${letters}`;
    expect(urlFault(url('a'.repeat(2028)), false)).to.equal(undefined);
    expect(urlFault(url('a'.repeat(2029)), false)).to.include('at most 2048 characters');
    expect(urlFault(url('ü'.repeat(400)), false)).to.include('at most 2048 characters in ASCII; it has 2420');
  });

  it('accepts private addresses and http if the operator allows it, but never the metadata service', () => {
    for (const url of ['http://127.0.0.1:9000/', 'http://localhost/', 'https://10.0.0.1/', 'http://[fd00::1]/'])
      expect(urlFault(url, true), url).to.equal(undefined);
    for (const url of ['http://169.254.169.254/', 'http://[::ffff:127.0.0.1]/', 'http://0.0.0.0/'])
      expect(urlFault(url, true), url).to.include('reserved');
  });
});
