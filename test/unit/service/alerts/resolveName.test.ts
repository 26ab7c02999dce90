import { createSocket, type Socket } from 'node:dgram';
import { once, setMaxListeners } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { resolveName, type ResolveOptions } from '../../../../src/service/alerts/resolveName.ts';

const [A, AAAA] = [1, 28];
const [NO_NAME, DISABLED_FLAGS] = [3, 0x8180];

/** The name and the type of a question (RFC 1035). */
function questionOf(message: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = message[at]; length > 0; length = message[at]) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 };
}

describe('resolveName', () => {
  let server: Socket;
  let options: ResolveOptions & { abort(): void };
  /** Questions for names that get no answer. */
  let unanswered: string[];
  const records: Readonly<Record<string, Readonly<Record<number, readonly number[][]>>>> = {
    'both.example': { [A]: [[192, 0, 2, 1], [192, 0, 2, 2]], [AAAA]: [[0x20, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]] }, // prettier-ignore
    'desk.cluster.example': { [A]: [[10, 0, 0, 7]] },
  };

  beforeEach(async () => {
    unanswered = [];
    server = createSocket('udp4');
    server.on('message', (message, { port, address }) => {
      const { name, type, end } = questionOf(message);
      if (name.endsWith('slow.example')) return void unanswered.push(name);
      const found = records[name]?.[type] ?? [];
      const head = Buffer.from(message.subarray(0, end));
      head.writeUInt16BE(DISABLED_FLAGS | (records[name] === undefined ? NO_NAME : 0), 2);
      [1, found.length, 0, 0].forEach((count, i) => head.writeUInt16BE(count, 4 + 2 * i));
      const answers = found.map((bytes) => Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, bytes.length, ...bytes]));
      server.send(Buffer.concat([head, ...answers]), port, address);
    });
    server.bind(0, '127.0.0.1');
    await once(server, 'listening');
    const controller = new AbortController();
    setMaxListeners(0, controller.signal);
    const servers = [`127.0.0.1:${(server.address() as AddressInfo).port}`];
    options = { signal: controller.signal, abort: () => controller.abort(), searches: false, servers, hosts: '', resolvConf: '' };
  });
  afterEach(() => server.close());

  const codeOf = (found: Promise<unknown>): Promise<unknown> => found.then((addresses) => addresses, ({ code }: { code: string }) => code); // prettier-ignore

  it('gives all addresses of a name, IPv4 and IPv6', async () => {
    expect([...(await resolveName('both.example', options))].sort()).to.deep.equal(['192.0.2.1', '192.0.2.2', '2001:db8::1']);
    expect(await codeOf(resolveName('none.example', options))).to.equal('ENOTFOUND');
  });

  it('knows localhost and the names of the hosts file without a name server', async () => {
    const hosts = '# 10.0.0.1 desk\n10.0.0.2 other desk # a comment\n::2 desk\n';
    expect(await resolveName('localhost', options)).to.deep.equal(['127.0.0.1', '::1']);
    expect(await resolveName('desk', { ...options, hosts })).to.deep.equal(['10.0.0.2', '::2']);
  });

  it('tries the search domains of the system only where private addresses are allowed', async () => {
    const resolvConf = 'nameserver 10.0.0.10\nsearch other.example cluster.example\n';
    expect(await codeOf(resolveName('desk', { ...options, resolvConf }))).to.equal('ENOTFOUND');
    expect(await resolveName('desk', { ...options, resolvConf, searches: true })).to.deep.equal(['10.0.0.7']);
  });

  it('answers other names while 50 get no answer, and ends those by the signal (row 85)', async () => {
    const slow = Array.from({ length: 50 }, (_, i) => codeOf(resolveName(`${i}.slow.example`, options)));
    while (new Set(unanswered).size < 50) await once(server, 'message');
    const other = { ...options, signal: new AbortController().signal };
    expect(await resolveName('desk.cluster.example', other)).to.deep.equal(['10.0.0.7']);
    options.abort();
    expect(new Set(await Promise.all(slow))).to.deep.equal(new Set(['ECANCELLED']));
  });
});
