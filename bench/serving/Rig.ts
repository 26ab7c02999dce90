import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { ask } from './ask.ts';
import { CpuMeter } from './CpuMeter.ts';
import { Generator } from './Generator.ts';
import type { Outcomes, Untargeted } from './makeLoad.ts';
import type { Side } from './startTickmark.ts';
import { tickBodies, type TickBodies } from './tickBodies.ts';

const WAKING = { connections: 4, seconds: 1 };
const CALM_MS = 20;
const MOST_CALMING_MS = 15_000;

/** Effort of a run. For a quick run use `SERVING_ROUNDS=1 SERVING_SECONDS=1`. */
type Effort = {
  /** Visits per cell; the median is the result. */
  readonly rounds: number;
  /** Seconds per visit. */
  readonly seconds: number;
};

export type BodySet = 'even' | 'mixed';
/** CPU of all processes of the server during the load. */
export type Measured = { readonly outcomes: Outcomes; readonly cpuMs: number };

/** A setting of a bench from the environment. Throws if it is not a number above 0. */
export function positive(name: string, byDefault: number): number {
  const value = Number(process.env[name] ?? byDefault);
  if (!(value > 0 && value < Infinity)) throw new Error(`${name} must be a number above 0; it is ${process.env[name]}.`);
  return value;
}

/** Common parts of all cells: bodies, the generator, a temporary folder. */
export class Rig {
  readonly effort: Effort = { rounds: positive('SERVING_ROUNDS', 4), seconds: positive('SERVING_SECONDS', 2) };
  readonly bodies: TickBodies;
  readonly folder = mkdtempSync(path.join(tmpdir(), 'tickmark-serving-'));
  readonly #generator = new Generator();
  readonly #sides: Side[] = [];

  private constructor(bodies: TickBodies) {
    this.bodies = bodies;
    for (const set of ['even', 'mixed'] as const) writeFileSync(this.#fileOf(set), JSON.stringify(bodies[set]));
  }

  static async open(): Promise<Rig> {
    return new Rig(await tickBodies());
  }

  /** Registers a process that ends with the rig. */
  add(side: Side): Side {
    this.#sides.push(side);
    return side;
  }

  end(side: Side): void {
    side.process.kill('SIGKILL');
  }

  /** Makes a load and measures the CPU of the server. A load before it restores the caches and memory that a server loses while it is idle. */
  async measure(side: Side, bodies: BodySet, load: Untargeted): Promise<Measured> {
    const { port, keys, query } = side;
    const target = { port, keys, query, bodiesFile: this.#fileOf(bodies) };
    await this.#generator.make({ ...WAKING, ...target });
    await untilCalm(port);
    const meter = new CpuMeter(side.process.pid!);
    const outcomes = await this.#generator.make({ ...load, ...target });
    return { outcomes, cpuMs: meter.read() };
  }

  close(): void {
    this.#generator.close();
    for (const side of this.#sides) this.end(side);
    rmSync(this.folder, { recursive: true, force: true });
  }

  #fileOf(set: BodySet): string {
    return path.join(this.folder, `${set}.json`);
  }
}

/** Waits until a server answers a small request quickly three times in a row, so that the load before does not affect the next one. */
async function untilCalm(port: number): Promise<void> {
  const endMs = performance.now() + MOST_CALMING_MS;
  for (let calm = 0; calm < 3 && performance.now() < endMs;) {
    const startMs = performance.now();
    await ask(port, { path: '/health/live' });
    calm = performance.now() - startMs < CALM_MS ? calm + 1 : 0;
  }
}
