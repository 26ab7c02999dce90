import type { ChildProcess } from 'node:child_process';

/** What the cluster module of Node.js sends with a connection, and what a worker answers when it has accepted it. */
type Handover = { readonly act?: string; readonly seq?: number };
type Reply = { readonly ack?: number };
type Connection = { close(): void };
type Send = (message: object, connection?: Connection, ...rest: readonly unknown[]) => boolean;

/**
 * Node.js keeps the primary's copy of a connection open until the worker accepts it (lib/internal/cluster/round_robin_handle.js). Where the worker is killed
 * before, it is never closed, and the caller waits for ever. This closes the copies when the worker ends.
 */
export function closeLostConnections(worker: ChildProcess): void {
  const handed = new Map<number, Connection>();
  const send = worker.send.bind(worker) as Send;
  worker.send = ((message: Handover, connection, ...rest) => {
    if (message.act === 'newconn' && message.seq !== undefined && connection !== undefined) handed.set(message.seq, connection);
    return send(message, connection, ...rest);
  }) as Send as ChildProcess['send'];
  worker.on('internalMessage', ({ ack }: Reply) => void (ack !== undefined && handed.delete(ack)));
  worker.once('exit', () => {
    for (const connection of handed.values()) connection.close();
  });
}
