import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { packageRoot } from '../../src/core/packageRoot.ts';
import { freePort } from '../../test/support/freePort.ts';
import { mongoProgram, startMongoServer, type MongoServer } from '../../test/support/mongoServer.ts';
import { createInterface } from 'node:readline';
import { ask } from '../serving/ask.ts';
import { startProcess, untilListening } from '../serving/startProcess.ts';
import { pause } from './pause.ts';
import { parseProxyLine, type ProxyLine } from './proxyLog.ts';

export type Env = Readonly<Record<string, string>>;
export type Replica = { readonly name: string; readonly port: number; process: ChildProcess | undefined };

export const PASSWORD = 'correct horse 42';

const STATS = '/proxy-state';
const IN_SERVICE_MS = 60_000;

/** Three services over one database, with HAProxy in front, configured by deploy/haproxy.cfg. */
export class ReplicaRig {
  /** What HAProxy has logged so far, one for each request. */
  readonly proxyLines: ProxyLine[] = [];
  readonly folder = mkdtempSync(path.join(tmpdir(), 'tickmark-replicas-'));
  readonly replicas: readonly Replica[];
  readonly proxyPort: number;
  readonly database: string;
  readonly #mongoPort: number;
  #mongo: MongoServer | undefined;
  #proxy: ChildProcess | undefined;
  #env: Env;

  private constructor(ports: readonly number[], proxyPort: number, mongoPort: number, { database, env }: { database: string; env: Env }) {
    this.replicas = ports.map((port, at) => ({ name: `replica ${at + 1}`, port, process: undefined }));
    [this.proxyPort, this.#mongoPort, this.database, this.#env] = [proxyPort, mongoPort, database, env];
  }

  /** `env`: settings of every replica. Call `close` also if this throws later. */
  static async open(env: Env): Promise<ReplicaRig> {
    const [a, b, c, proxy, mongo] = [await freePort(), await freePort(), await freePort(), await freePort(), await freePort()];
    const rig = new ReplicaRig([a, b, c], proxy, mongo, { database: (await mongoProgram()).name, env });
    try {
      mkdirSync(rig.#modelsDir);
      await rig.startDatabase();
      await Promise.all(rig.replicas.map((replica) => rig.start(replica)));
      await rig.#startProxy();
    } catch (error) {
      await rig.close();
      throw error;
    }
    return rig;
  }

  /** All replicas read it, as over a network file system. */
  get #modelsDir(): string {
    return path.join(this.folder, 'models');
  }

  get mongodbUri(): string {
    return `mongodb://127.0.0.1:${this.#mongoPort}/replicas`;
  }

  async startDatabase(): Promise<void> {
    this.#mongo = await startMongoServer(path.join(this.folder, 'db'), this.#mongoPort);
  }

  async killDatabase(): Promise<void> {
    await this.#mongo?.kill();
  }

  /** Settings from the next start of a replica on. */
  change(env: Env): void {
    this.#env = { ...this.#env, ...env };
  }

  /** Resolves when it is ready. */
  async start(replica: Replica): Promise<void> {
    const { child } = await startProcess(process.execPath, [path.join(packageRoot(), 'bin', 'tickmark.js'), 'serve', '--json'], {
      ...{ HOST: '127.0.0.1', PORT: String(replica.port), DATA_DIR: path.join(this.folder, replica.name), MONGODB_URI: this.mongodbUri },
      ...{
        MODELS_DIR: this.#modelsDir,
        LIMITS_SHARED: 'true',
        TRUST_PROXY: 'true',
        LOG_LEVEL: 'warn',
        WORKERS: '1',
        RUNTIME_BACKEND: 'wasm',
      },
      ...{
        LIMIT_SIGNUPS_PER_HOUR: '0',
        LIMIT_LOGINS_PER_MINUTE: '0',
        METRICS_PORT: '0',
        STORE_TIMEOUT_MS: '10000',
        SHUTDOWN_DELAY_MS: '3000',
      },
      ...this.#env,
    });
    replica.process = child;
  }

  /** SIGTERM; resolves to the exit code when it has ended. */
  stop(replica: Replica, signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    const { process: child } = replica;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child?.exitCode ?? null);
    return new Promise((resolve) => {
      child.once('exit', (code) => resolve(code));
      child.kill(signal);
    });
  }

  /** `tickmark models …` on a machine of its own. */
  async operate(...args: readonly string[]): Promise<void> {
    const env = {
      MONGODB_URI: this.mongodbUri,
      MODELS_DIR: this.#modelsDir,
      DATA_DIR: path.join(this.folder, 'operator'),
      STORE_TIMEOUT_MS: '20000',
      RUNTIME_BACKEND: 'wasm',
    };
    const child = spawn(process.execPath, [path.join(packageRoot(), 'bin', 'tickmark.js'), 'models', ...args], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let errors = '';
    child.stderr.on('data', (chunk) => (errors += String(chunk)));
    const code = await new Promise((resolve) => child.once('exit', resolve));
    if (code !== 0) throw new Error(`tickmark models ${args.join(' ')}: ${errors}`);
  }

  /** A key of a new account. */
  async signUp(port: number, email: string): Promise<{ readonly status: number; readonly key: string }> {
    const body = JSON.stringify({ email, password: PASSWORD, confirm_password: PASSWORD });
    const { status, text } = await ask(port, { path: '/signup', body });
    return { status, key: status === 201 ? (JSON.parse(text) as { api_key: string }).api_key : '' };
  }

  /** As HAProxy calls it. */
  proxyNameOf({ name }: Replica): string {
    return name.replace(' ', '-');
  }

  /** Resolves when HAProxy sends requests to it again. */
  async untilInService(replica: Replica): Promise<void> {
    const isUp = new RegExp(`^replicas,${this.proxyNameOf(replica)},.*,UP,`, 'm');
    for (const endMs = performance.now() + IN_SERVICE_MS; performance.now() < endMs; await pause(50))
      if (isUp.test((await ask(this.proxyPort, { path: `${STATS};csv` })).text)) return;
    throw new Error(`HAProxy does not use ${replica.name} ${IN_SERVICE_MS / 1000} s after it is ready`);
  }

  async close(): Promise<void> {
    this.#proxy?.kill('SIGKILL');
    for (const { process: child } of this.replicas) child?.kill('SIGKILL');
    await this.#mongo?.kill();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  async #startProxy(): Promise<void> {
    const shipped = readFileSync(path.join(packageRoot(), 'deploy', 'haproxy.cfg'), 'utf8');
    const servers = this.replicas.map((replica) => `    server ${this.proxyNameOf(replica)} 127.0.0.1:${replica.port}`).join('\n');
    const config = shipped
      .replace('bind :8080', `bind 127.0.0.1:${this.proxyPort}`)
      .replace('local0 notice', 'local0 info')
      .replace('frontend tickmark', `frontend tickmark\n    stats enable\n    stats uri ${STATS}`)
      .replace(' init-addr none resolvers docker', '')
      .replace(/^ {4}server-template .*$/m, servers);
    const file = path.join(this.folder, 'haproxy.cfg');
    writeFileSync(file, config);
    const proxy = spawn('haproxy', ['-db', '-f', file], { stdio: ['ignore', 'pipe', 'ignore'] });
    this.#proxy = proxy;
    createInterface({ input: proxy.stdout }).on('line', (line) => {
      const parsed = parseProxyLine(line);
      if (parsed !== undefined) this.proxyLines.push(parsed);
    });
    await untilListening(this.proxyPort);
    for (const replica of this.replicas) await this.untilInService(replica);
  }
}
