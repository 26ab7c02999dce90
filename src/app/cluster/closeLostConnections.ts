import type { ChildProcess } from 'node:child_process';
import type { Clock } from '../../core/Clock.ts';

/** What the cluster module of Node.js sends with a connection. */
type Handover = { readonly act?: string; readonly seq?: number };
type Connection = { close(): void };
type Send = (message: object, connection?: Connection, ...rest: readonly unknown[]) => boolean;

/** A worker accepts a connection within milliseconds; one whose event loop is held up, within seconds. */
const LOST_MS = 5000;

/**
 * Node.js hands a worker one connection at a time, and keeps its own copy of it open until the worker accepts it (lib/internal/cluster/round_robin_handle.js).
 * If the answer never arrives, the caller waits forever, and the worker gets no other connection: the worker was killed before, or could not open another
 * file. This answers for the worker after five seconds, or when it ends: the copy is closed, and the next connection is handed over.
 */
export function closeLostConnections(worker: ChildProcess, clock: Clock): void {
  // It could not be spawned.
  if (worker.send === undefined) return;
  /** Cancels the answer of each connection that is not accepted yet. */
  const handed = new Map<number, () => void>();
  const answer = (ack: number): void => void worker.emit('internalMessage', { cmd: 'NODE_CLUSTER', ack, accepted: true });
  const send = worker.send.bind(worker) as Send;
  worker.send = ((message: Handover, connection, ...rest) => {
    const { act, seq } = message;
    if (act === 'newconn' && seq !== undefined)
      handed.set(
        seq,
        clock.after(LOST_MS, () => answer(seq)),
      );
    return send(message, connection, ...rest);
  }) as Send as ChildProcess['send'];
  worker.on('internalMessage', ({ ack }: { readonly ack?: number }) => {
    if (ack === undefined) return;
    handed.get(ack)?.();
    handed.delete(ack);
  });
  worker.once('exit', () => {
    for (const seq of [...handed.keys()]) answer(seq);
  });
}
