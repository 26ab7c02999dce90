import type { TrainedSpan } from '../../src/engine/model/Lineage.ts';
import { FORMAT, hashOf, ONE_IN, type SeenTicks, type SeenTicksJson } from '../../src/engine/model/SeenTicks.ts';
import type { TickSeries } from '../../src/ticks/TickSeries.ts';

/** Collects the sample of the ticks that a version is trained on. */
export class SeenTicksWriter {
  readonly #hashes: Set<number>;

  /** `parent`: the sample of the version that is tuned. */
  constructor(parent?: SeenTicks) {
    this.#hashes = new Set(parent?.hashes);
  }

  /** Adds the ticks from `fromUs` to `toUs`, inclusive. */
  add({ timesUs, prices }: Pick<TickSeries, 'timesUs' | 'prices'>, { fromUs, toUs }: Pick<TrainedSpan, 'fromUs' | 'toUs'>): void {
    timesUs.forEach((timeUs, at) => {
      if (timeUs < fromUs || timeUs > toUs) return;
      const hash = hashOf(timeUs, prices[at]) >>> 0;
      if (hash % ONE_IN === 0) this.#hashes.add(hash);
    });
  }

  /** The hashes, ascending, as base64. */
  json(): SeenTicksJson {
    const bytes = Buffer.from(Uint32Array.from(this.#hashes).sort().buffer);
    return { format: FORMAT, hashes: bytes.toString('base64') };
  }
}
