import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { freePort } from '../support/freePort.ts';
import { seededRandom } from '../../src/core/Random.ts';
import { Allowances } from './Allowances.ts';
import { Callers } from './Callers.ts';
import { between, pick, sleep, within, type Fault, type World } from './Fault.ts';
import { Ledger } from './Ledger.ts';
import { LiveBots } from './LiveBots.ts';
import { schedule, type Planned } from './schedule.ts';
import { Service, signalProcess } from './Service.ts';
import { Traffic } from './Traffic.ts';
import { watch } from './Watch.ts';
import { makeWindows } from './windows.ts';

const RECOVERS_MS = 15_000;
const CALM_MS = 1500;
/** Time for the steps after the last wave: kill, start, end of the live series, check, stop. */
const END_MS = 18_000;
const DIES_MS = 5000;
/** SHUTDOWN_GRACE_MS, plus a margin for a busy machine. */
const STOPS_MS = 12_000;
const SHOWN = 5;

export type ChaosOptions = {
  readonly seed: number;
  readonly seconds: number;
  readonly workers: number;
  readonly backend: string;
  readonly hasInference: boolean;
  readonly faults: readonly Fault[];
  /** Changes a correct answer, so that the run must fail. */
  readonly plantsWrong: boolean;
};

/** One run: a service, its callers, the faults in the order of the seed, and the shutdown. */
export class Chaos {
  readonly #options: ChaosOptions;
  readonly #startMs = performance.now();
  readonly #folder = mkdtempSync(path.join(tmpdir(), 'tickmark-chaos-'));
  readonly #allowances = new Allowances();
  readonly #random;
  readonly #windows;
  readonly #callers;
  readonly #bots;
  /** A name server that never answers. */
  readonly #names = createSocket('udp4');
  readonly ledger: Ledger;
  faults = 0;
  #service: Service | undefined;

  constructor(options: ChaosOptions) {
    this.#options = options;
    this.ledger = new Ledger(({ promise, fault }, count) => {
      if (count <= SHOWN) this.say(`BROKEN ${promise}: ${fault}${count === SHOWN ? ' (later ones are only counted)' : ''}`);
    });
    this.#random = seededRandom(options.seed);
    this.#windows = makeWindows(this.#random);
    this.#callers = new Callers({ windows: this.#windows, ledger: this.ledger, allowances: this.#allowances });
    this.#bots = new LiveBots({ ledger: this.ledger, allowances: this.#allowances, random: seededRandom(options.seed + 2) });
  }

  say(line: string): void {
    process.stdout.write(`[${((performance.now() - this.#startMs) / 1000).toFixed(1).padStart(6)} s] ${line}\n`);
  }

  async run(): Promise<void> {
    const { seed, seconds, plantsWrong } = this.#options;
    const parts = { callers: this.#callers, ledger: this.ledger, allowances: this.#allowances, windows: this.#windows };
    await once(this.#names.bind(0, '127.0.0.1'), 'listening');
    let service = await this.#start();
    await this.#callers.learn();
    await this.#bots.learn(service.port);
    // The service is ready with its first worker, while the others still use CPU to start.
    await this.#recovers(service, 'the start');
    if (plantsWrong) this.#windows[0].plain = this.#windows[0].plain.replace(/(null|1)}}$/, (all) => (all === '1}}' ? 'null}}' : '1}}'));
    let endWatch = watch({ ...parts, service });
    const traffic = new Traffic(this.#callers, this.#windows, seededRandom(seed + 1));
    traffic.start();
    this.#bots.start(service.port);
    await sleep(CALM_MS);
    const world: World = { service, ...parts };
    for (const { faults, pauseMs } of schedule(seed, this.#options.faults)) {
      if (service.hasEnded || performance.now() - this.#startMs > 1000 * seconds - END_MS) break;
      const ends = await Promise.all(faults.map((planned) => this.#bring(world, planned)));
      await this.#recovers(service, faults.map(({ fault }) => fault.name).join(' + '));
      for (const end of ends) end();
      await sleep(pauseMs);
    }
    endWatch();
    await this.#end(service, 'SIGKILL');
    await traffic.stop();
    // The bots connect again by themselves.
    service = await this.#start(service.port);
    await this.#recovers(service, 'the restart');
    endWatch = watch({ ...parts, service });
    await this.#bots.finishLaps();
    await this.#callers.checkAccounts();
    traffic.start();
    await sleep(CALM_MS);
    endWatch();
    await this.#end(service, 'SIGTERM');
    await Promise.all([traffic.stop(), this.#bots.stop()]);
    await this.#bots.checkRecord(this.#folder);
  }

  /** Ends the service and removes its folder, at the exit of the process. All else ends with this process. */
  close(): void {
    this.#service?.kill();
    if (this.ledger.brokenPromises.length === 0) rmSync(this.#folder, { recursive: true, force: true });
    else this.say(`the log of the service is ${path.join(this.#folder, 'service.log')}`);
  }

  async #start(port?: number): Promise<Service> {
    const { workers, hasInference, backend } = this.#options;
    const nameServer = `127.0.0.1:${this.#names.address().port}`;
    const service = new Service({ folder: this.#folder, workers, hasInference, backend, nameServer, port: port ?? (await freePort()) });
    this.#service = service;
    await service.ready();
    this.#callers.port = service.port;
    return service;
  }

  /** Resolves to a function that ends its allowances, which last until the service has recovered. */
  async #bring(world: World, { fault, afterMs, random }: Planned): Promise<() => void> {
    await sleep(afterMs);
    this.say(`${fault.name} begins`);
    this.faults++;
    const end = this.#allowances.begin(fault.allows ?? []);
    this.say(`${fault.name} ends: ${await fault.run(world, random)}`);
    return end;
  }

  /** Waits until every process exists, and each service process is ready and answers correctly. */
  async #recovers(service: Service, after: string): Promise<void> {
    const { workers, hasInference } = this.#options;
    const endRestart = this.#allowances.begin(['restart']);
    const fromMs = performance.now();
    const isWell = async (): Promise<boolean> => {
      const { services, inference } = service.processes();
      if (services.length !== workers || inference.length !== Number(hasInference)) return false;
      if (workers > 1 && !(await service.reachesAll())) return false;
      // New connections go to the workers round-robin.
      for (let i = 0; i < 2 * workers; i++) {
        if ((await this.#callers.ready()) !== 200) return false;
        if (!(await this.#callers.forecast(this.#windows[i], { isFresh: true }))) return false;
      }
      return true;
    };
    const isRecovered = await within(RECOVERS_MS, async () => service.hasEnded || (await isWell()), this.#allowances);
    const tookMs = performance.now() - fromMs;
    this.say(`${isRecovered ? 'recovered' : 'not recovered'} after ${tookMs.toFixed(0)} ms`);
    this.ledger.check('recovers', isRecovered && !service.hasEnded ? undefined : `not recovered ${tookMs.toFixed(0)} ms after ${after}`);
    endRestart();
  }

  /** Ends the service under load and checks that no process of it is left. */
  async #end(service: Service, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const promise = signal === 'SIGKILL' ? 'dies' : 'stops';
    const end = this.#allowances.begin(['cut', 'delay']);
    if (signal === 'SIGTERM' && this.#random.uniform() < 0.5) {
      // Restarting processes must end too.
      signalProcess(pick(service.processes().all.slice(1), this.#random)?.pid, 'SIGKILL');
      // The bots notice a killed worker before the signal.
      await sleep(between(200, 1500, this.#random));
    }
    const pids = service.processes().all.map(({ pid }) => pid);
    this.say(`${signal} to the service with ${pids.length} processes`);
    signalProcess(service.pid, signal);
    if (signal === 'SIGTERM') {
      this.#bots.expectDrain();
      const how = await Promise.race([service.ended, sleep(STOPS_MS).then(() => `still running after ${STOPS_MS} ms`)]);
      this.ledger.check(promise, how === 'exit code 0' ? undefined : `SIGTERM: ${how}`);
    }
    const left = (): number[] => pids.filter((pid) => existsSync(`/proc/${pid}`));
    const areGone = await within(DIES_MS, () => left().length === 0);
    this.ledger.check(promise, areGone ? undefined : `${left().length} of ${pids.length} processes are left after ${signal}`);
    for (const pid of left()) signalProcess(pid, 'SIGKILL');
    end();
  }
}
