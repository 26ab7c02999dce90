import type { BodyChecks } from '../contract/bodyChecks.ts';
import type { HttpParts } from '../http/HttpParts.ts';
import { readTicks } from '../http/readTicks.ts';

/** So often until what a request runs through is compiled, by and large. */
const ROUNDS = 200;

/** Answers the sample as requests are answered, from bytes to bytes, before anybody asks: JavaScript is slow the first times. */
export async function warmUp({ sample, forecast }: Pick<HttpParts, 'sample' | 'forecast'>, checks: BodyChecks): Promise<void> {
  const bytes = Buffer.from(JSON.stringify(sample));
  for (let round = 0; round < ROUNDS; round++) {
    const { ticks, write } = readTicks(bytes, checks);
    // Two at once: one alone is computed in this process, what comes beside it may go another way.
    for (const { mark, detail } of await Promise.all([forecast(ticks, {}), forecast(ticks, {})])) write(mark, detail);
  }
}
