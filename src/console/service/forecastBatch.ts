import { forecastBatches } from '../../../clients/typescript/src/forecastBatches.ts';
import { Transport } from '../../../clients/typescript/src/Transport.ts';
import type { BarBody, TickBody } from '../../../clients/typescript/src/index.ts';
import { apiFailure, barTimeOf, told, withDetail } from './fromClient.ts';
import type { Failure } from './failureText.ts';
import { type AskOptions, type Forecast, SESSION } from './Service.ts';

/** A batch waits behind other requests: longer than one forecast. */
const TIMEOUT_MS = 60_000;

/** Nothing is tried again here: the replay waits, and says so. Not the whole client: a worker loads its code once more. */
const transport = new Transport({
  ...{ baseUrl: '', timeoutMs: TIMEOUT_MS, retries: 0 },
  fetch: (...args) => fetch(...args),
  random: () => Math.random(),
});

/** One request for at most 64 bodies: a forecast or the failure of each, in their order. Rejects with a Failure of all. */
export async function forecastBatch(
  bodies: readonly (TickBody | BarBody)[],
  options: AskOptions & { readonly key: string; readonly hasBars: boolean },
): Promise<readonly (Forecast | Failure)[]> {
  const headers = { ...(options.key === SESSION ? {} : { 'Api-Key': options.key }), 'Content-Type': 'application/json' };
  const asked = {
    detail: true,
    lastOnly: true,
    signal: options.signal,
    concurrency: 1,
    ...options.options,
    model: options.model,
    ...barTimeOf(options.hasBars),
  };
  const results = await told(forecastBatches(transport, headers, bodies, asked));
  return results.map((result) => (result.ok ? withDetail(result.forecast) : apiFailure(result.error)));
}
