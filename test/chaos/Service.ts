import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { appendFileSync, closeSync, constants, openSync, readdirSync, readlinkSync } from 'node:fs';
import * as net from 'node:net';
import * as path from 'node:path';
import { createInterface } from 'node:readline';
import { readTree, roleOf, type ProcessStat } from '../../bench/serving/procStat.ts';
import { ROOT } from '../support/tickmarkProcess.ts';

const START_MS = 90_000;
/** Connections for each service process, and the time to take them. */
const PROBES = 8;
const PROBE_MS = 150;

export type ServiceOptions = {
  /** Its own: accounts, versions and log. */
  readonly folder: string;
  readonly workers: number;
  readonly backend: string;
  /** Whether there is an inference process; workers share it. */
  readonly hasInference: boolean;
  /** A fixed one: with 0, workers that all end would come back on another. */
  readonly port: number;
};

/** The processes of a service by what they do. */
export type Processes = {
  readonly all: readonly ProcessStat[];
  readonly services: readonly ProcessStat[];
  readonly inference: readonly ProcessStat[];
};

/** The built service as `npm start` runs it. Its standard error is a pipe that can be left undrained. */
export class Service {
  readonly folder: string;
  readonly workers: number;
  readonly pid: number;
  readonly log: net.Socket;
  readonly ended: Promise<string>;
  hasEnded = false;
  readonly port: number;
  readonly #child: ChildProcess;

  constructor({ folder, workers, hasInference, backend, port }: ServiceOptions) {
    this.folder = folder;
    this.workers = workers;
    this.port = port;
    // Node.js gives a child a socket for a pipe: this is what a shell gives.
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

  /** Resolves when it answers. Throws where it ends before, or takes too long. */
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

  /** Whether each service process takes new connections: a worker that is starting takes none, and cannot be told from outside otherwise. */
  async reachesAll(): Promise<boolean> {
    const { services } = this.processes();
    const counts = (): number[] => services.map(({ pid }) => countSockets(pid));
    const before = counts();
    const sockets = Array.from({ length: PROBES * services.length }, () => net.connect(this.port, '127.0.0.1').on('error', () => {}));
    await new Promise((resolve) => setTimeout(resolve, PROBE_MS));
    const after = counts();
    for (const socket of sockets) socket.destroy();
    return after.every((count, i) => count > before[i]!);
  }

  /** Of all processes that answer requests. */
  rssBytes(): number {
    return this.processes().services.reduce((sum, { rssBytes }) => sum + rssBytes, 0);
  }

  /** The whole tree, whatever state it is in. */
  kill(): void {
    for (const { pid } of readTree(this.pid)) signalProcess(pid, 'SIGKILL');
  }
}

function countSockets(pid: number): number {
  try {
    const folder = `/proc/${pid}/fd`;
    return readdirSync(folder).filter((fd) => readlinkSync(path.join(folder, fd)).startsWith('socket:')).length;
  } catch {
    // The process has ended, or closed one meanwhile.
    return Infinity;
  }
}

/** A process that has ended meanwhile gets none. */
export function signalProcess(pid: number | undefined, signal: NodeJS.Signals): void {
  // 0 would be this process and all that it has started.
  if (pid === undefined || pid === 0) return;
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended.
  }
}
