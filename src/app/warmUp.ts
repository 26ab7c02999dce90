import type { BodyChecks } from '../contract/bodyChecks.ts';
import type { HttpParts } from '../http/HttpParts.ts';
import { readTicks } from '../http/readTicks.ts';

/** After this many rounds, most of the code of a request is compiled. */
const ROUNDS = 200;

/** Answers the sample as requests are answered, from bytes to bytes, before the first request: the first runs of JavaScript are slow. */
export async function warmUp({ sample, forecast }: Pick<HttpParts, 'sample' | 'forecast'>, checks: BodyChecks): Promise<void> {
  const bytes = Buffer.from(JSON.stringify(sample));
  for (let round = 0; round < ROUNDS; round++) {
    const { ticks, write } = readTicks(bytes, checks);
    // Two at once: a single forecast is computed in this process, a concurrent one may take another path.
    for (const { mark, detail } of await Promise.all([forecast(ticks, {}), forecast(ticks, {})])) write(mark, detail);
  }
}
