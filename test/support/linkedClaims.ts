import { EventEmitter } from 'node:events';
import type { SeriesHolders } from '../../src/service/app/cluster/SeriesHolders.ts';
import { type Channel, type FromWorker, type ToWorker, WorkerLink } from '../../src/service/app/cluster/WorkerLink.ts';
import type { SeriesClaims } from '../../src/service/live/SeriesClaims.ts';

/** The claims of a worker of a fleet; messages take an iteration of the event loop. `die`: its process is killed. */
export function linkedClaims(holders: SeriesHolders): { readonly claims: SeriesClaims; die(): void } {
  const toWorker = new EventEmitter();
  let isDead = false;
  const worker = { send: (message: ToWorker) => void setImmediate(() => isDead || toWorker.emit('message', message)) };
  const channel = {
    send: (message: FromWorker) =>
      void setImmediate(() => {
        if (isDead) return;
        // What is sent is JSON.
        const sent = JSON.parse(JSON.stringify(message)) as FromWorker;
        if (sent.kind === 'claim') holders.claim(worker, sent.key);
        else if (sent.kind === 'handed') holders.handed(worker, sent);
      }),
    on: (name: string, listener: (message: ToWorker) => void) => toWorker.on(name, listener),
  } as Channel;
  const die = (): void => {
    isDead = true;
    holders.left(worker);
  };
  return { claims: new WorkerLink(channel).claims, die };
}
