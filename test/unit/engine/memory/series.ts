import { seededRandom } from '../../../../src/core/Random.ts';
import { memoryInputs, type MemoryReading } from '../../../../src/engine/memory/memoryInputs.ts';
import type { SeriesMemory } from '../../../../src/engine/memory/SeriesMemory.ts';
import type { TickSeries } from '../../../../src/ticks/TickSeries.ts';

/** Tuesday 2024-01-02 00:00 UTC. */
export const START_MS = Date.UTC(2024, 0, 2);

/** A walk with equal timestamps, silences of minutes and pauses of hours; `meanGapMs` between ticks elsewhere. */
export function walk(seed: number, ticks: number, meanGapMs: number): TickSeries {
  const random = seededRandom(seed);
  const timesUs = new Float64Array(ticks);
  const prices = new Float64Array(ticks);
  let [us, price] = [START_MS * 1000 + 123_456, 100];
  for (let i = 0; i < ticks; i++) {
    const drawn = random.uniform();
    const gapMs = drawn < 0.15 ? 0 : drawn < 0.152 ? 200_000 : drawn < 0.153 ? 3 * 3_600_000 : -meanGapMs * Math.log(random.uniform());
    us += Math.floor(gapMs * 1000);
    price *= Math.exp(1e-4 * (random.uniform() - 0.5));
    timesUs[i] = us;
    prices[i] = price;
  }
  return { timesUs, prices };
}

export const msOf = ({ timesUs }: TickSeries, at: number): number => Math.floor(timesUs[at] / 1000);

/** Last ticks of their timestamps, one in about `every`. */
export function originsOf(series: TickSeries, every: number): number[] {
  const origins: number[] = [];
  for (let at = every; at < series.timesUs.length - 1; at += every) {
    let last = at;
    while (last + 1 < series.timesUs.length && msOf(series, last + 1) === msOf(series, last)) last++;
    if (last + 1 < series.timesUs.length) origins.push(last);
  }
  return [...new Set(origins)];
}

const HORIZON_MS = 10_000;
const THETA = 3e-5;

/** What a forecast at the last tick reads; the forecast is remembered. */
export function forecastAt(memory: SeriesMemory, originMs: number, horizonMs = HORIZON_MS, version = 1): MemoryReading {
  const probability = 0.1 + 0.2 * ((originMs % 7) / 7);
  const base = Math.log(probability / (1 - probability));
  const view = memory.view(horizonMs);
  if (view.originMs !== originMs) throw new Error(`the memory is at ${view.originMs} ms`);
  const reading = memoryInputs(view, { theta: THETA, sigma: 1e-5, base, version });
  memory.forecast({ horizonMs, theta: THETA, probability, version, ...reading.levels });
  return reading;
}
