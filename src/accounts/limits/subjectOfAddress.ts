import { isIPv6 } from 'node:net';

/**
 * What is counted for an address: an IPv4 address itself, also in its IPv6 form; of an IPv6 address the first 64 bits, since a household or a host
 * has all the rest to itself.
 */
export function subjectOfAddress(address: string): string {
  if (!address.includes(':')) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const plain = address.split('%')[0] ?? '';
  if (!isIPv6(plain)) return address;
  const [head = '', tail] = plain.toLowerCase().split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  // A dotted tail stands for two groups.
  const length = left.length + right.length + (plain.includes('.') ? 1 : 0);
  const groups = tail === undefined ? left : [...left, ...Array<string>(Math.max(0, 8 - length)).fill('0'), ...right];
  return `${groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`;
}
