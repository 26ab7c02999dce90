import { createHash } from 'node:crypto';
import { createServer } from 'node:net';
import { ServiceError } from '../../core/ServiceError.ts';

/**
 * Locks a folder for one setup at a time. The lock is an abstract socket name, which Linux releases when the process ends for any
 * reason, so no stale lock file can remain. Returns the function that releases the lock.
 *
 * @throws ServiceError `native.not_possible` if another process holds the lock
 */
export function lockFolder(folder: string): Promise<() => void> {
  const name = `\0tickmark-setup-${createHash('sha256').update(folder).digest('hex').slice(0, 32)}`;
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error: NodeJS.ErrnoException) => {
      const detail =
        error.code === 'EADDRINUSE'
          ? `Another setup is running in ${folder}. Wait until it has finished.`
          : `${folder} could not be locked for this setup: ${error.message}`;
      reject(new ServiceError('native.not_possible', detail, { cause: error }));
    });
    server.listen({ path: name }, () => resolve(() => void server.close()));
    server.unref();
  });
}
