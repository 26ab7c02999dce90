import { BlockList, isIPv4, isIPv6 } from 'node:net';

type Ranges = readonly (readonly [network: string, prefix: number])[];

const listOf = (ranges: Ranges, family: 'ipv4' | 'ipv6'): BlockList => {
  const list = new BlockList();
  for (const [network, prefix] of ranges) list.addSubnet(network, prefix, family);
  return list;
};

/** Never a target: this network, link-local with the metadata services of clouds, multicast, reserved. */
const NEVER_4 = listOf([['0.0.0.0', 8], ['169.254.0.0', 16], ['224.0.0.0', 4], ['240.0.0.0', 4]], 'ipv4'); // prettier-ignore
/** Private, shared (CGNAT), loopback, and ranges for documentation and tests (RFC 6890). */
const PRIVATE_4 = listOf(
  [
    ['10.0.0.0', 8],
    ['100.64.0.0', 10],
    ['127.0.0.0', 8],
    ['172.16.0.0', 12],
    ['192.0.0.0', 24],
    ['192.0.2.0', 24],
    ['192.88.99.0', 24],
    ['192.168.0.0', 16],
    ['198.18.0.0', 15],
    ['198.51.100.0', 24],
    ['203.0.113.0', 24],
  ],
  'ipv4',
);
/** What is routed publicly, and within it: Teredo and other protocols, documentation, and 6to4, which contains IPv4 addresses. */
const PUBLIC_6 = listOf([['2000::', 3]], 'ipv6');
const NOT_PUBLIC_6 = listOf([['2001::', 23], ['2001:db8::', 32], ['2002::', 16], ['3fff::', 20]], 'ipv6'); // prettier-ignore
/** With private addresses allowed: unique local addresses and loopback. */
const PRIVATE_6 = listOf([['fc00::', 7], ['::1', 128]], 'ipv6'); // prettier-ignore

/** What an address may be: `never` is refused, whatever the operator allows. IPv4 addresses within IPv6 are refused too. */
export function addressKind(address: string): 'public' | 'private' | 'never' {
  if (isIPv4(address)) return NEVER_4.check(address) ? 'never' : PRIVATE_4.check(address) ? 'private' : 'public';
  if (!isIPv6(address)) return 'never';
  if (PRIVATE_6.check(address, 'ipv6')) return 'private';
  return PUBLIC_6.check(address, 'ipv6') && !NOT_PUBLIC_6.check(address, 'ipv6') ? 'public' : 'never';
}

const MAX_URL_CHARACTERS = 2048;

/** Why a URL cannot be a target; undefined if it can. Names are resolved only when an alert is sent, each time. */
export function urlFault(text: string, allowsPrivate: boolean): string | undefined {
  if (text.length > MAX_URL_CHARACTERS) return `must have at most ${MAX_URL_CHARACTERS} characters; it has ${text.length}`;
  if (!URL.canParse(text)) return 'must be a URL';
  const { href, protocol, hostname, username, password, hash } = new URL(text);
  // As it is stored: each other byte than ASCII takes three characters.
  if (href.length > MAX_URL_CHARACTERS) return `must have at most ${MAX_URL_CHARACTERS} characters in ASCII; it has ${href.length}`;
  if (protocol !== 'https:' && !(allowsPrivate && protocol === 'http:')) return 'must start with https://';
  if (username !== '' || password !== '') return 'must not contain a user name or a password';
  if (hash !== '') return 'must not contain a fragment (#)';
  const address = hostname.replace(/^\[|\]$/g, '');
  if (!isIPv4(address) && !isIPv6(address)) return isLocalName(hostname) && !allowsPrivate ? 'must not name this machine' : undefined;
  const kind = addressKind(address);
  return kind === 'public' || (kind === 'private' && allowsPrivate) ? undefined : 'must not contain a private or reserved address';
}

const isLocalName = (name: string): boolean => /(^|\.)localhost\.?$/i.test(name);
