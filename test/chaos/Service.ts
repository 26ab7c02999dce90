import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { appendFileSync, closeSync, constants, openSync, readdirSync, readlinkSync } from 'node:fs';
import * as net from 'node:net';
import * as path from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { readTree, roleOf, type ProcessStat } from '../../bench/serving/procStat.ts';
import { ROOT } from '../support/tickmarkProcess.ts';

const START_MS = 90_000;
/** Probe connections per service process, and their time limit. */
const PROBES = 8;
const PROBE_MS = 150;

export type ServiceOptions = {
  /** Folder of its accounts, versions and log. */
  readonly folder: string;
  readonly workers: number;
  readonly backend: string;
  /** Whether there is an inference process; workers share it. */
  readonly hasInference: boolean;
  /** Address and port of a name server. */
  readonly nameServer: string;
  /** A fixed port: with 0, the workers would get another one after all of them have ended. */
  readonly port: number;
};

/** The processes of a service by role. */
export type Processes = {
  readonly all: readonly ProcessStat[];
  readonly services: readonly ProcessStat[];
  readonly inference: readonly ProcessStat[];
};

/** The built service as started by `npm start`. Its standard error is a pipe whose reader can be stopped. */
export class Service {
  readonly folder: string;
  readonly workers: number;
  readonly pid: number;
  readonly log: net.Socket;
  readonly ended: Promise<string>;
  hasEnded = false;
  readonly port: number;
  readonly #child: ChildProcess;

  constructor({ folder, workers, hasInference, backend, nameServer, port }: ServiceOptions) {
    this.folder = folder;
    this.workers = workers;
    this.port = port;
    // Node.js would give the child a socket; this is a pipe as from a shell.
    const pipe = path.join(folder, `stderr-${performance.now()}`);
    execFileSync('mkfifo', [pipe]);
    this.log = new net.Socket({ fd: openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK), readable: true, writable: false });
    const writeEnd = openSync(pipe, constants.O_WRONLY);
    this.log.on('data', (chunk) => appendFileSync(path.join(folder, 'service.log'), chunk)).on('error', () => {});
    this.#child = spawn(process.execPath, [path.join(ROOT, 'bin', 'tickmark.js'), 'serve', '--json'], {
      env: {
        ...process.env,
        ...{ HOST: '127.0.0.1', PORT: `${port}`, DATA_DIR: folder, MONGODB_URI: '', MODELS_DIR: '', LOG_LEVEL: 'info' },
        ...{
          WORKERS: `${workers}`,
          INFERENCE_PROCESS: `${hasInference}`,
          RUNTIME_BACKEND: backend,
          LIMIT_SIGNUPS_PER_HOUR: '0',
          LIMIT_FORECASTS_PER_MINUTE: '100000000',
          LIMIT_LOGINS_PER_MINUTE: '0',
          WEBHOOK_PRIVATE_ADDRESSES: 'true',
          NODE_OPTIONS: `--import=${pathToFileURL(path.join(ROOT, 'test/chaos/slowNames.js')).href}`,
          CHAOS_NAME_SERVER: nameServer,
        },
      },
      stdio: ['ignore', 'pipe', writeEnd],
    });
    closeSync(writeEnd);
    this.pid = this.#child.pid ?? 0;
    this.ended = new Promise((resolve) => {
      this.#child.once('error', (error) => resolve(error.message));
      this.#child.once('exit', (code, signal) => {
        this.hasEnded = true;
        resolve(signal ?? `exit code ${code}`);
      });
    });
  }

  /** Resolves when the service is ready. Throws if it exits before, or takes too long. */
  async ready(): Promise<void> {
    const firstLine = new Promise<string>((resolve) => createInterface({ input: this.#child.stdout! }).once('line', resolve));
    const tooLate = new Promise<string>((resolve) => setTimeout(resolve, START_MS, `not ready after ${START_MS} ms`).unref());
    const line = await Promise.race([firstLine, this.ended, tooLate]);
    if (!line.startsWith('{')) throw new Error(`the service did not start: ${line}`);
  }

  get modelsDir(): string {
    return path.join(this.folder, 'models');
  }

  /** Those that answer requests, and the inference processes: one, unless one is replaced just now. */
  processes(): Processes {
    const all = readTree(this.pid);
    const children = all.filter(({ parentPid }) => parentPid === this.pid);
    const inference = children.filter(({ pid }) => roleOf(pid) === 'inference');
    return { all, services: this.workers > 1 ? children.filter((child) => !inference.includes(child)) : all.slice(0, 1), inference };
  }

  inferencePids(): number[] {
    return this.processes().inference.map(({ pid }) => pid);
  }

  /** Whether each service process accepts new connections. A starting worker accepts none, and nothing else shows it from outside. */
  async reachesAll(): Promise<boolean> {
    const { services } = this.processes();
    const counts = (): number[] => services.map(({ pid }) => countSockets(pid));
    const before = counts();
    const sockets = Array.from({ length: PROBES * services.length }, () => net.connect(this.port, '127.0.0.1').on('error', () => {}));
    await new Promise((resolve) => setTimeout(resolve, PROBE_MS));
    const after = counts();
    for (const socket of sockets) socket.destroy();
    return after.every((count, i) => count > before[i]);
  }

  /** RSS of all processes that answer requests. */
  rssBytes(): number {
    return this.processes().services.reduce((sum, { rssBytes }) => sum + rssBytes, 0);
  }

  /** All processes of the tree, in any state. */
  kill(): void {
    for (const { pid } of readTree(this.pid)) signalProcess(pid, 'SIGKILL');
  }
}

function countSockets(pid: number): number {
  try {
    const folder = `/proc/${pid}/fd`;
    return readdirSync(folder).filter((fd) => readlinkSync(path.join(folder, fd)).startsWith('socket:')).length;
  } catch {
    // The process has exited, or closed a descriptor meanwhile.
    return Infinity;
  }
}

/** Ignores a process that has exited meanwhile. */
export function signalProcess(pid: number | undefined, signal: NodeJS.Signals): void {
  // 0 would mean this process and all its children.
  if (pid === undefined || pid === 0) return;
  try {
    process.kill(pid, signal);
  } catch {
    // The process has exited.
  }
}
