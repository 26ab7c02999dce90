import type { ForecastDetail, NullReason } from './forecastDetail.ts';
import type { LastAnswer } from './tickForecast.ts';

/** below_threshold is the last of all reasons: if it comes first, there is no other. */
const statusOf = (reason: NullReason | null): LastAnswer['status'] =>
  reason === null ? 'identified' : reason === 'below_threshold' ? 'none' : 'abstained';

/** Text of the answer of POST /auth/ti-tick with `?answer=last`. `reason`: the first one; null: a mark. */
export function writeLastAnswer(timestamp: string, reason: NullReason | null, detail: ForecastDetail | null): string {
  const answer: LastAnswer = {
    timestamp,
    trend_identified: reason === null ? 1 : null,
    status: statusOf(reason),
    reason,
    ...(detail === null ? {} : { detail }),
  };
  return JSON.stringify(answer);
}
