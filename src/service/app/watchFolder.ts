import { randomBytes } from 'node:crypto';
import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import * as path from 'node:path';
import { readSmallFile } from '../../engine/model/readRegularFile.ts';
import type { Clock } from '../../core/Clock.ts';
import { every } from '../../core/every.ts';
import type { Logger } from '../../core/Logger.ts';

/** How often a service shows that it runs, and looks for others. */
export const LOOK_MS = 5000;
/** A file that no service has written for this long is what a killed one has left. */
const STALE_MS = 24 * 60 * 60_000;
const MOST_BYTES = 1024;
const NAME = /^running-[0-9a-f]{16}\.json$/;

/**
 * Tells services with one DATA_DIR of each other: each counts their limits alone, and finds keys that the other has revoked only when its
 * cache ends. A service writes a file with a counter; another one runs if its counter has changed between two looks, so that neither
 * clocks nor process ids of different hosts are compared.
 */
export function watchFolder(folder: string, { clock, logger }: { readonly clock: Clock; readonly logger: Logger }): { close(): void } {
  const own = path.join(folder, `running-${randomBytes(8).toString('hex')}.json`);
  /** Content of the other files at the last look. */
  const seen = new Map<string, string>();
  const told = new Set<string>();
  let count = 0;
  const look = (): void => {
    try {
      writeFileSync(own, JSON.stringify({ pid: process.pid, host: hostname(), count: ++count }), { mode: 0o600 });
      for (const name of readdirSync(folder).filter((each) => NAME.test(each))) {
        const file = path.join(folder, name);
        if (file === own) continue;
        const content = readSmallFile(file, MOST_BYTES) ?? '';
        const before = seen.get(name);
        seen.set(name, content);
        if (before !== undefined && before !== content && !told.has(name)) {
          told.add(name);
          logger.warn('another service uses this data folder: stop one of them, or give each its own DATA_DIR', {
            dataDir: folder,
            other: describe(content),
          });
        } else if (before === content && clock.nowMs() - statSync(file).mtimeMs > STALE_MS) {
          rmSync(file, { force: true });
          seen.delete(name);
        }
      }
    } catch (error) {
      // A full disk or a folder that was taken away shows in the calls of the store.
      logger.debug('services on this data folder cannot be listed', { error });
    }
  };
  look();
  const stop = every(clock, LOOK_MS, look);
  return {
    close: () => {
      stop();
      rmSync(own, { force: true });
    },
  };
}

/** A file that is being written is not JSON. */
function describe(content: string): string {
  try {
    const { pid, host } = JSON.parse(content) as { pid: number; host: string };
    return `process ${pid} on ${host}`;
  } catch {
    return 'unknown';
  }
}
