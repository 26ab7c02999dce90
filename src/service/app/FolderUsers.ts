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

export type FolderUsersDeps = { readonly clock: Clock; readonly logger: Logger };

/**
 * Tells services with one DATA_DIR of each other: each counts their limits alone, and finds keys that the other has revoked only when its
 * cache ends. A service writes a file with a counter; another one runs if its counter has changed between two looks, so that neither
 * clocks nor process ids of different hosts are compared.
 */
export class FolderUsers {
  readonly #folder: string;
  readonly #file: string;
  readonly #deps: FolderUsersDeps;
  /** Content of the other files at the last look. */
  readonly #seen = new Map<string, string>();
  readonly #told = new Set<string>();
  #count = 0;
  #cancel = (): void => {};

  constructor(folder: string, deps: FolderUsersDeps) {
    this.#folder = folder;
    this.#deps = deps;
    this.#file = path.join(folder, `running-${randomBytes(8).toString('hex')}.json`);
  }

  start(): void {
    this.#look();
    this.#cancel = every(this.#deps.clock, LOOK_MS, () => this.#look());
  }

  close(): void {
    this.#cancel();
    rmSync(this.#file, { force: true });
  }

  #look(): void {
    const { logger, clock } = this.#deps;
    try {
      this.#count++;
      writeFileSync(this.#file, JSON.stringify({ pid: process.pid, host: hostname(), count: this.#count }), { mode: 0o600 });
      for (const name of readdirSync(this.#folder).filter((each) => NAME.test(each))) {
        const file = path.join(this.#folder, name);
        if (file === this.#file) continue;
        const content = readSmallFile(file, MOST_BYTES) ?? '';
        const before = this.#seen.get(name);
        this.#seen.set(name, content);
        if (before !== undefined && before !== content && !this.#told.has(name)) {
          this.#told.add(name);
          logger.warn('another service uses this data folder: stop one of them, or give each its own DATA_DIR', {
            dataDir: this.#folder,
            other: describe(content),
          });
        } else if (before === content && clock.nowMs() - statSync(file).mtimeMs > STALE_MS) {
          rmSync(file, { force: true });
          this.#seen.delete(name);
        }
      }
    } catch (error) {
      // A full disk or a folder that was taken away shows in the calls of the store.
      logger.debug('services on this data folder cannot be listed', { error });
    }
  }
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
