import { ask } from './ask.ts';

/** The cumulative buckets of the event-loop delay histogram, ascending: upper edge in seconds and count since the start. */
export type LoopDelays = readonly { readonly upToS: number; readonly count: number }[];

const BUCKET = /^tickmark_event_loop_delay_seconds_bucket\{le="([^"]+)"\} (\d+)$/gm;

export function parseLoopDelays(text: string): LoopDelays {
  return [...text.matchAll(BUCKET)].map(([, edge, count]) => ({ upToS: edge === '+Inf' ? Infinity : Number(edge), count: Number(count) }));
}

export async function readLoopDelays(metricsPort: number): Promise<LoopDelays> {
  return parseLoopDelays((await ask(metricsPort, { path: '/metrics' })).text);
}

/** Upper bucket edge, in milliseconds, of the p99 delay between two readings. */
export function p99Between(before: LoopDelays, after: LoopDelays): number {
  const counts = after.map(({ upToS, count }, i) => ({ upToS, count: count - (before[i]?.count ?? 0) }));
  const all = counts.at(-1)?.count ?? 0;
  if (all === 0) throw new Error('no delay was measured between the two readings');
  return 1000 * counts.find(({ count }) => count >= 0.99 * all)!.upToS;
}
