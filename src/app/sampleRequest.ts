import type { TickRequestBody } from '../contract/tickForecast.ts';
import { US_PER_SECOND } from '../core/units.ts';
import { formatTimestamp } from '../ticks/formatTimestamp.ts';
import { syntheticTicks } from '../ticks/syntheticTicks.ts';

const SAMPLE_TICKS = 500;
const SAMPLE_HORIZON_US = 60 * US_PER_SECOND;

/** The body of GET /sample: 500 generated ticks, the same on every start, and a future timestamp 60 s after the last. */
export function sampleRequest(): TickRequestBody {
  const { timesUs, prices } = syntheticTicks({ seed: 20240102, count: SAMPLE_TICKS });
  const futureUs = (timesUs[SAMPLE_TICKS - 1] as number) + SAMPLE_HORIZON_US;
  return {
    Timestamp: [...timesUs, futureUs].map((us) => formatTimestamp(us)),
    Price: [...prices, 0],
  };
}
