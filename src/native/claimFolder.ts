import { createHash } from 'node:crypto';
import { createServer } from 'node:net';
import { ServiceError } from '../core/ServiceError.ts';

/**
 * Lets one set-up at a time write into a folder. The claim is a socket name that Linux keeps in memory and gives back when the
 * process ends, however it ends: no lock file is left behind. Returns the function that gives it back.
 *
 * @throws ServiceError `native.not_possible` where another process holds it
 */
export function claimFolder(folder: string): Promise<() => void> {
  const name = `\0tickmark-setup-${createHash('sha256').update(folder).digest('hex').slice(0, 32)}`;
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error: NodeJS.ErrnoException) => {
      const detail =
        error.code === 'EADDRINUSE'
          ? `Another set-up is at work in ${folder}. Wait until it has ended.`
          : `${folder} could not be claimed for this set-up: ${error.message}`;
      reject(new ServiceError('native.not_possible', detail, { cause: error }));
    });
    server.listen({ path: name }, () => resolve(() => void server.close()));
    server.unref();
  });
}
