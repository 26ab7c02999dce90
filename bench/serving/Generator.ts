import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import * as path from 'node:path';
import type { Load, Outcomes } from './makeLoad.ts';

/** Generates load in a separate process. */
export class Generator {
  readonly #child: ChildProcess;

  constructor() {
    this.#child = fork(path.join(import.meta.dirname, 'generatorMain.ts'), {
      execArgv: ['--import', 'tsx'],
      // Typed arrays are passed without conversion.
      serialization: 'advanced',
    });
  }

  /** One at a time. */
  async make(load: Load): Promise<Outcomes> {
    const ended = new AbortController();
    const answer = once(this.#child, 'message', { signal: ended.signal }) as Promise<[Outcomes]>;
    const onExit = (): void => ended.abort(new Error('the load generator process has exited'));
    this.#child.once('exit', onExit);
    try {
      this.#child.send(load);
      return (await answer)[0];
    } finally {
      this.#child.off('exit', onExit);
    }
  }

  close(): void {
    this.#child.kill('SIGKILL');
  }
}
