import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { packageRoot } from '../../src/core/packageRoot.ts';
import { seededRandom } from '../../src/core/Random.ts';
import { loadModelFolder } from '../../src/engine/model/loadModelFolder.ts';
import { MODEL_FILES } from '../../src/engine/model/modelFiles.ts';
import { onnxNetwork } from '../peers/serving/onnxNetwork.ts';
import { CpuMeter, type CpuUse } from './CpuMeter.ts';
import type { Effort } from './effort.ts';
import { Generator } from './Generator.ts';
import type { Untargeted } from './Load.ts';
import type { LoadReport } from './Outcomes.ts';
import { targetOf, type Side } from './Side.ts';
import type { PeerModel } from './startPeer.ts';
import { untilCalm } from './untilCalm.ts';
import { tickBodies, type TickBodies } from './tickBodies.ts';

/** A measurement is repeated if other processes used more than this. */
const FOREIGN_CORES = 0.1;
const WAKING_CONNECTIONS = 4;
const WAKING_S = 1;

export type BodySet = 'even' | 'mixed';
export type Measured = { readonly report: LoadReport; readonly cpu: CpuUse; readonly isDisturbed: boolean };

/** Common parts of all cells: bodies, the generator, a temporary folder. */
export class Rig {
  readonly effort: Effort;
  readonly bodies: TickBodies;
  readonly folder: string;
  readonly random = seededRandom(1);
  readonly #generator = new Generator();
  readonly #sides: Side[] = [];

  private constructor(bodies: TickBodies, effort: Effort) {
    this.effort = effort;
    this.bodies = bodies;
    this.folder = mkdtempSync(path.join(tmpdir(), 'tickmark-serving-'));
    for (const set of ['even', 'mixed'] as const) writeFileSync(this.#fileOf(set), JSON.stringify(bodies[set]));
  }

  static async open(effort: Effort): Promise<Rig> {
    return new Rig(await tickBodies(), effort);
  }

  /** Registers a process that ends with the rig. */
  add(side: Side): Side {
    this.#sides.push(side);
    return side;
  }

  end(side: Side): void {
    side.process.kill('SIGKILL');
  }

  endAll(): void {
    for (const side of this.#sides.splice(0)) this.end(side);
  }

  /** Writes the shipped version as an ONNX file into the folder. */
  writeModel(version: string): PeerModel {
    const folder = path.join(packageRoot(), 'models', version);
    const { manifest, weights, golden } = loadModelFolder(folder);
    const modelFile = path.join(this.folder, 'network.onnx');
    writeFileSync(modelFile, onnxNetwork(manifest.network, weights));
    return { modelFile, goldenFile: path.join(folder, MODEL_FILES.golden), golden, spec: manifest.network };
  }

  /** Uncounted load that restores the caches and memory that a server lost while it was idle. */
  async #wake(side: Side, bodies: BodySet): Promise<void> {
    await this.load(side, bodies, { kind: 'closed', connections: WAKING_CONNECTIONS, seconds: WAKING_S });
  }

  /** Runs a load immediately, without a wake-up load and without a meter. */
  load(side: Side, bodies: BodySet, load: Untargeted): Promise<LoadReport> {
    return this.#generator.make({ ...load, ...targetOf(side, this.#fileOf(bodies)) });
  }

  /** Runs a load and measures the CPU of the server. If other processes disturb it, repeats it; the least disturbed try counts. */
  async measure(side: Side, bodies: BodySet, load: Untargeted, tries = this.effort.tries): Promise<Measured> {
    let best: Measured | undefined;
    for (let tried = 0; tried < tries && best?.isDisturbed !== false; tried++) {
      await this.#wake(side, bodies);
      await untilCalm(side.port);
      const meter = new CpuMeter(side.process.pid!);
      const report = await this.load(side, bodies, load);
      const cpu = meter.read();
      if (best === undefined || cpu.foreignCores < best.cpu.foreignCores)
        best = { report, cpu, isDisturbed: cpu.foreignCores > FOREIGN_CORES };
    }
    return best!;
  }

  shuffled<T>(values: readonly T[]): T[] {
    return values
      .map((value) => ({ value, at: this.random.uniform() }))
      .sort((a, b) => a.at - b.at)
      .map(({ value }) => value);
  }

  close(): void {
    this.#generator.close();
    this.endAll();
    rmSync(this.folder, { recursive: true, force: true });
  }

  #fileOf(set: BodySet): string {
    return path.join(this.folder, `${set}.json`);
  }
}
