import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import type { Settings } from '../../../core/config/settings.ts';
import { systemClock } from '../../../core/Clock.ts';
import type { Logger } from '../../../core/Logger.ts';
import { ServiceError } from '../../../core/ServiceError.ts';
import { InferenceSupervisor } from '../../../engine/inference/child/InferenceSupervisor.ts';
import { startInference } from '../openHost.ts';

/** The one inference process of all workers. It listens on a Unix socket in a folder that only this user may enter. */
export class SharedInference {
  readonly #folder = makeFolder();
  readonly #socketPath: string;
  readonly #supervisor: InferenceSupervisor;

  /** Throws ServiceError `runtime.refused`. */
  constructor({ runtimeBackend: backend, startTimeoutMs: startMs }: Pick<Settings, 'runtimeBackend' | 'startTimeoutMs'>, logger: Logger) {
    const base = process.platform === 'win32' ? path.join('\\\\?\\pipe', this.#folder) : this.#folder;
    this.#socketPath = path.join(base, 'inference');
    this.#supervisor = new InferenceSupervisor({
      ...{ name: 'inference process', startMs, clock: systemClock, logger },
      open: () => startInference({ backend, startMs, logger }, this.#socketPath),
    });
  }

  /** Throws ServiceError `runtime.refused`. */
  async start(): Promise<void> {
    await this.#supervisor.start();
  }

  /** Where workers connect to. Throws while the process is down: a worker would fail to start, and is forked later. */
  get socketPath(): string {
    if (this.#supervisor.up === undefined) throw new Error('the inference process is restarting');
    return this.#socketPath;
  }

  /** How often it was started again. */
  get restarts(): number {
    return this.#supervisor.restarts;
  }

  /** Kills it at once. */
  async close(): Promise<void> {
    const stopped = this.#supervisor.stop();
    rmSync(this.#folder, { recursive: true, force: true });
    await stopped;
  }
}

function makeFolder(): string {
  try {
    return mkdtempSync(path.join(tmpdir(), 'tickmark-'));
  } catch (cause) {
    const message = `The socket of the inference process needs a folder (TMPDIR), and none can be made in ${tmpdir()}.`;
    throw new ServiceError('runtime.refused', message, { cause });
  }
}
