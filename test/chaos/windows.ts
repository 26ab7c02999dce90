import type { Random } from '../../src/core/Random.ts';
import { MIN_ENTRIES, US_PER_SECOND } from '../../src/core/units.ts';
import { formatTimestamp } from '../../src/ticks/timestamps.ts';
import { syntheticTicks } from '../../src/ticks/syntheticTicks.ts';

const COUNT = 24;
const MOST_ENTRIES = 900;
const HORIZONS_S = [10, 60, 300];
const TOLERANCE = 1e-6;

/** A request with its correct answer, which the service gave before any fault. */
export type Window = { readonly body: string; plain: string; probability: number | null };

type Entry = {
  readonly trend_identified: 1 | null;
  readonly detail?: { readonly opportunity: { readonly probability: number | null } };
};

/** Windows of generated ticks, without their correct answers. */
export function makeWindows(random: Random): Window[] {
  return Array.from({ length: COUNT }, (_, i) => {
    const ticks = MIN_ENTRIES - 1 + random.integer(MOST_ENTRIES - MIN_ENTRIES);
    const { timesUs, prices } = syntheticTicks({ seed: random.integer(1e9), count: ticks, medianGapMs: 50 + random.integer(400) });
    const stamps = [...timesUs, timesUs.at(-1)! + HORIZONS_S[i % HORIZONS_S.length] * US_PER_SECOND];
    const body = JSON.stringify({ Timestamp: stamps.map((us) => formatTimestamp(us)), Price: [...prices, 0] });
    return { body, plain: '', probability: null };
  });
}

/** Mark and probability of the last entry of an answer with `detail=full`. */
export function readDetailed(text: string): { readonly mark: 1 | null; readonly probability: number | null } {
  const entry = Object.values(JSON.parse(text) as Record<string, Entry>).at(-1);
  return { mark: entry?.trend_identified ?? null, probability: entry?.detail?.opportunity.probability ?? null };
}

/** Checks an answer without details, which must be identical byte for byte for the same request. */
export function plainFault({ plain }: Window, text: string): string | undefined {
  return text === plain ? undefined : `wrong answer …${text.slice(-70)}, expected …${plain.slice(-70)}`;
}

/** Checks an answer with details. */
export function detailFault(window: Window, text: string): string | undefined {
  const { mark, probability } = readDetailed(text);
  const right = readDetailed(window.plain).mark;
  if (mark !== right) return `wrong mark ${mark}, expected ${right}`;
  const isNear =
    probability === window.probability ||
    (probability !== null && window.probability !== null && Math.abs(probability - window.probability) <= TOLERANCE);
  return isNear ? undefined : `wrong probability ${probability}, expected ${window.probability}`;
}

type Item = { readonly status: number; readonly body?: unknown; readonly problem?: { readonly retryAfterSeconds?: number } };

/** Checks the answer to a batch of these windows and a bad item. Items may be shed. */
export function batchFault(windows: readonly Window[], text: string): string | undefined {
  const { results } = JSON.parse(text) as { results: Item[] };
  if (results.length !== windows.length + 1) return `${results.length} results for ${windows.length + 1} items`;
  const faults = results.map(({ status, body, problem }, i) => {
    const window = windows[i];
    if (status === 504 || (status === 503 && problem?.retryAfterSeconds !== undefined)) return undefined;
    if (window !== undefined && status === 200) return plainFault(window, JSON.stringify(body));
    return window === undefined && status === 422 ? undefined : `item ${i}: ${status} ${JSON.stringify(problem)}`;
  });
  return faults.find((fault) => fault !== undefined);
}
