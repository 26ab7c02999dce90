import type { Tracer } from '../../core/Tracer.ts';
import type { InferenceRow } from './InferenceHost.ts';

/** Runs a batch in a span of the request of its first row that has a trace, linked with the other requests. `run` gets the position of that span. */
export async function runTraced<T>(
  tracer: Tracer | undefined,
  rows: readonly InferenceRow[],
  run: (traceparent: string | undefined) => T | Promise<T>,
): Promise<T> {
  if (tracer === undefined) return run(undefined);
  const [parent, ...links] = new Set(rows.flatMap(({ trace }) => trace ?? []));
  if (parent === undefined) return run(undefined);
  const span = tracer.start('inference batch', { parent, links });
  if (span === undefined) return run(undefined);
  let isFailed = true;
  try {
    const result = await run(span.traceparent);
    isFailed = false;
    return result;
  } finally {
    span.end({ attributes: { 'tickmark.batch.rows': rows.length }, isFailed });
  }
}
