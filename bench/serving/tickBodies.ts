import { readdirSync } from 'node:fs';
import * as path from 'node:path';
import { seededRandom } from '../../src/core/Random.ts';
import { MAX_ENTRIES, MIN_ENTRIES, US_PER_SECOND } from '../../src/core/units.ts';
import { formatTimestamp } from '../../src/ticks/timestamps.ts';
import { readTickFile } from '../../src/ticks/import/streamTickFile.ts';
import { syntheticTicks } from '../../src/ticks/syntheticTicks.ts';
import type { TickSeries } from '../../src/ticks/TickSeries.ts';
import { hasRealTicks, REAL_TICKS_DIR } from '../../test/support/realTicks.ts';

const BODIES = 200;
const HORIZONS_S = [10, 60, 300];
const MADE_SERIES = 8;

export type TickBodies = {
  /** Description of the ticks, for the table. */
  readonly about: string;
  /** JSON texts of 501 entries each, which peers also accept. */
  readonly even: readonly string[];
  /** JSON texts of 200 to 3001 entries, log-uniform: as many between 200 and 400 as between 1500 and 3000. */
  readonly mixed: readonly string[];
};

/** 200 distinct windows each, spread over all series: real ticks if they are next to the checkout, else generated ones. */
export async function tickBodies(): Promise<TickBodies> {
  const random = seededRandom(501);
  const series = await allSeries();
  const windows = (entriesOf: () => number): string[] =>
    Array.from({ length: BODIES }, (_, i) => {
      const { timesUs, prices } = series[i % series.length];
      const ticks = entriesOf() - 1;
      const from = random.integer(timesUs.length - ticks);
      return bodyOf({ timesUs: timesUs.subarray(from, from + ticks), prices: prices.subarray(from, from + ticks) }, HORIZONS_S[i % 3]);
    });
  const about = hasRealTicks ? `real ticks of ${series.length} series` : `generated ticks of ${series.length} series`;
  const anyLength = (): number => Math.round(MIN_ENTRIES * (MAX_ENTRIES / MIN_ENTRIES) ** random.uniform());
  return { about, even: windows(() => 501), mixed: windows(anyLength) };
}

async function allSeries(): Promise<TickSeries[]> {
  if (!hasRealTicks)
    return Array.from({ length: MADE_SERIES }, (_, seed) => syntheticTicks({ seed, count: 50_000, medianGapMs: 50 * (seed + 1) }));
  const files = readdirSync(REAL_TICKS_DIR).filter((name) => name.endsWith('.csv.gz'));
  const series: TickSeries[] = [];
  for (const file of files.sort()) series.push((await readTickFile(path.join(REAL_TICKS_DIR, file))).series);
  return series;
}

function bodyOf({ timesUs, prices }: TickSeries, horizonS: number): string {
  const futureUs = timesUs.at(-1)! + horizonS * US_PER_SECOND;
  return JSON.stringify({ Timestamp: [...timesUs, futureUs].map((us) => formatTimestamp(us)), Price: [...prices, 0] });
}
