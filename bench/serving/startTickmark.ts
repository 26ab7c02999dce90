import type { ChildProcess } from 'node:child_process';
import * as path from 'node:path';
import { packageRoot } from '../../src/core/packageRoot.ts';
import { freePort } from '../../test/support/freePort.ts';
import { ask } from './ask.ts';
import { startProcess } from './startProcess.ts';

const CALLERS = 8;

/** A server that is measured. */
export type Side = {
  /** Name in the table. */
  readonly name: string;
  readonly port: number;
  readonly keys: readonly string[];
  /** Query of its requests; none if absent. */
  readonly query?: string;
  readonly process: ChildProcess;
  /** Of a tickmark service that serves metrics. */
  readonly metricsPort?: number;
};

type TickmarkOptions = {
  readonly backend: string;
  /** Folder of its accounts, used only by this server. */
  readonly dataDir: string;
  /** Accounts. Default 8. */
  readonly callers?: number;
  readonly metrics?: boolean;
  /** Additional settings. */
  readonly env?: Readonly<Record<string, string>>;
};

/** Starts the shipped service in a separate process, with accounts. Limits are counted, but too high to be reached. */
export async function startTickmark({ backend, dataDir, callers = CALLERS, metrics = false, env = {} }: TickmarkOptions): Promise<Side> {
  const metricsPort = metrics ? await freePort() : 0;
  const args = [path.join(packageRoot(), 'bin', 'tickmark.js'), 'serve', '--json'];
  const { child, firstLine } = await startProcess(process.execPath, args, {
    ...{ HOST: '127.0.0.1', PORT: '0', DATA_DIR: dataDir, MONGODB_URI: '', METRICS_PORT: String(metricsPort) },
    ...{ RUNTIME_BACKEND: backend, LOG_LEVEL: 'info', LIMIT_FORECASTS_PER_MINUTE: '100000000', LIMIT_SIGNUPS_PER_HOUR: '0' },
    ...env,
  });
  const { port } = JSON.parse(firstLine) as { port: number };
  const keys: string[] = [];
  for (let caller = 0; caller < callers; caller++) {
    const account = { email: `bench${caller}@example.com`, password: 'correct horse 42', confirm_password: 'correct horse 42' };
    const { status, text } = await ask(port, { path: '/signup', body: JSON.stringify(account) });
    if (status !== 201) {
      child.kill('SIGKILL');
      throw new Error(`sign-up: ${status} ${text}`);
    }
    keys.push((JSON.parse(text) as { api_key: string }).api_key);
  }
  const ready = JSON.parse((await ask(port, { path: '/health/ready' })).text) as { backend: string };
  return { name: `tickmark ${ready.backend}`, port, keys, process: child, ...(metrics ? { metricsPort } : {}) };
}
