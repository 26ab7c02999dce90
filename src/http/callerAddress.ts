import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

/**
 * The address of the caller. Behind a trusted proxy it is the last entry of X-Forwarded-For, which the proxy adds; earlier entries come
 * from the caller. If the entry is not an address, the address of the proxy counts.
 */
export function callerAddress(request: IncomingMessage, trustProxy: boolean): string {
  const peer = request.socket.remoteAddress ?? '';
  if (!trustProxy) return peer;
  const forwarded = request.headers['x-forwarded-for'];
  const last = (Array.isArray(forwarded) ? forwarded.join(',') : (forwarded ?? '')).split(',').at(-1)?.trim() ?? '';
  // Some proxies add the port.
  const address = /^\[([^\]]+)\](?::\d+)?$/.exec(last)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(last)?.[1] ?? last;
  return isIP(address) === 0 ? peer : address;
}
