import { systemClock } from '../../src/core/Clock.ts';
import type { Tracer } from '../../src/core/Tracer.ts';
import { openTracer } from '../../src/core/observability/openTracer.ts';

const [ROUNDS, REQUESTS] = [12, 4000];
/** Promises that a request awaits, about: each costs more while a current span is followed through them. */
const AWAITS = 30;
/** Requests between two pauses, in which the spans are sent. */
const PAUSE_EVERY = 256;

/** What a request does for its trace: three spans, and the attributes of a forecast. */
async function oneRequest(tracer: Tracer | undefined): Promise<void> {
  const span = tracer?.start('request', { parent: undefined, isServer: true });
  const work = async (): Promise<void> => {
    tracer?.record('admission wait', 0.01, { isFailed: false });
    const batch = span === undefined ? undefined : tracer?.start('inference batch', { parent: tracer.current });
    for (let i = 0; i < AWAITS; i++) await Promise.resolve();
    batch?.end({ attributes: { 'tickmark.batch.rows': 1 } });
  };
  await (span === undefined || tracer === undefined ? work() : tracer.within(span, work));
  const stages = { read: 0.1, key: 0.1, wait: 0, parse: 0.1, features: 0.2, network: 0.3, rules: 0.1, write: 0.1 };
  span?.end({ name: 'POST /auth/ti-tick', attributes: { ...stages, 'http.request.method': 'POST', 'http.response.status_code': 200 } });
}

/** CPU of the spans of a request, µs, with their JSON and a collector in the same process; the least of the rounds. `fraction` 0: without a tracer. */
export async function measureSpans(endpoint: string, fraction: number): Promise<number> {
  const tracer = fraction === 0 ? undefined : await openTracer({ endpoint, fraction, version: '0', clock: systemClock });
  let least = Infinity;
  for (let round = 0; round < ROUNDS; round++) {
    const start = process.cpuUsage();
    for (let i = 0; i < REQUESTS; i++) {
      await oneRequest(tracer);
      if (i % PAUSE_EVERY === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const { user, system } = process.cpuUsage(start);
    least = Math.min(least, (user + system) / REQUESTS);
  }
  await tracer?.close();
  return least;
}
