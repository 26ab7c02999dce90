import { ask } from './ask.ts';
import type { Sample } from './flatness.ts';
import { readTree } from './procStat.ts';
import type { Side } from './startTickmark.ts';

export const WATCHED = ['rss', 'memory', 'tensors'] as const;
/** RSS of all processes and what the workers use of their heaps and outside of them, MiB, and live tensors; a sample a second. */
export type Watched = Record<(typeof WATCHED)[number], Sample[]>;

const FIGURES = ['nodejs_heap_size_used_bytes', 'nodejs_external_memory_bytes', 'tickmark_live_tensors'] as const;
const MIB = 1024 * 1024;
const EVERY_MS = 1000;

/** Samples until the load has ended. */
export async function watchServer({ process: { pid }, metricsPort }: Side, load: Promise<unknown>): Promise<Watched> {
  const watched: Watched = { rss: [], memory: [], tensors: [] };
  const startMs = performance.now();
  let isOver = false;
  const over = load.finally(() => (isOver = true));
  over.catch(() => {});
  while (!isOver) {
    const processes = readTree(pid!);
    if (processes.length === 0) throw new Error('the server has ended');
    const atS = (performance.now() - startMs) / 1000;
    watched.rss.push({ atS, value: processes.reduce((sum, { rssBytes }) => sum + rssBytes, 0) / MIB });
    const { text } = await ask(metricsPort!, { path: '/metrics' });
    const [heap, external, tensors] = FIGURES.map((name) => figureOf(text, name)) as [number, number, number];
    // The metrics lack the workers that did not answer in time: no sample then.
    if (!Number.isNaN(heap + external + tensors)) {
      watched.memory.push({ atS, value: (heap + external) / MIB });
      watched.tensors.push({ atS, value: tensors });
    }
    let timer: NodeJS.Timeout | undefined;
    await Promise.race([over, new Promise((resolve) => (timer = setTimeout(resolve, EVERY_MS)))]);
    clearTimeout(timer);
  }
  return watched;
}

function figureOf(text: string, name: string): number {
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? NaN);
}
