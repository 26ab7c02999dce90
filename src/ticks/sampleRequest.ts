import { US_PER_SECOND } from '../core/units.ts';
import { syntheticTicks } from './syntheticTicks.ts';
import { formatTimestamp } from './timestamps.ts';

export const SAMPLE_WINDOW = { seed: 20240598, count: 500 } as const;
const SAMPLE_HORIZON_US = 60 * US_PER_SECOND;

/** The body of GET /sample: 500 generated ticks, the same on every start, and a future timestamp 60 s after the last. */
export function sampleRequest(): { Timestamp: string[]; Price: number[] } {
  const { timesUs, prices } = syntheticTicks(SAMPLE_WINDOW);
  const futureUs = timesUs.at(-1)! + SAMPLE_HORIZON_US;
  return {
    Timestamp: [...timesUs, futureUs].map((us) => formatTimestamp(us)),
    Price: [...prices, 0],
  };
}
