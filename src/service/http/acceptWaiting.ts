import { connect } from 'node:net';
import type { Clock } from '../../core/Clock.ts';

/** The address cannot be reached, or so many connections wait that the system drops new ones. */
const MOST_MS = 1000;
/** Addresses that mean all of this machine, and the one to reach them by. */
const REACHED_BY: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/**
 * Resolves when the service at this address has accepted every connection that was made before the call. A socket that stops listening resets the
 * connections that wait to be accepted, and their number cannot be read; but they are accepted in order, also across worker processes. So this
 * connects too, sends nothing but the end of the connection, and waits until the service ends it as well.
 */
export function acceptWaiting(host: string, port: number, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect({ host: REACHED_BY[host] ?? host, port });
    const cancel = clock.after(MOST_MS, () => socket.destroy(), true);
    socket.once('close', () => {
      cancel();
      resolve();
    });
    socket
      .on('error', () => {})
      .resume()
      .end();
  });
}
