import { ask } from './ask.ts';

/** How often the event loop was late by at most so many seconds, since the start: the buckets of its histogram, ascending. */
export type LoopDelays = readonly { readonly upToS: number; readonly count: number }[];

const BUCKET = /^tickmark_event_loop_delay_seconds_bucket\{le="([^"]+)"\} (\d+)$/gm;

export function parseLoopDelays(text: string): LoopDelays {
  return [...text.matchAll(BUCKET)].map(([, edge, count]) => ({ upToS: edge === '+Inf' ? Infinity : Number(edge), count: Number(count) }));
}

export async function readLoopDelays(metricsPort: number): Promise<LoopDelays> {
  return parseLoopDelays((await ask(metricsPort, { path: '/metrics' })).text);
}

/** The edge, in milliseconds, that 99 of 100 delays between two readings did not pass. */
export function p99Between(before: LoopDelays, after: LoopDelays): number {
  const counts = after.map(({ upToS, count }, i) => ({ upToS, count: count - (before[i]?.count ?? 0) }));
  const all = counts.at(-1)?.count ?? 0;
  if (all === 0) throw new Error('no delay was measured in between');
  return 1000 * counts.find(({ count }) => count >= 0.99 * all)!.upToS;
}
