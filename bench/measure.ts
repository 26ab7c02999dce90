export type MeasureOptions = {
  /** Rounds of each side, interleaved; their lower quartile counts. Default 201. */
  readonly rounds?: number;
  /** A round repeats its side until it takes about this long. Default 1: short beside the pauses that a shared machine makes. */
  readonly roundMs?: number;
};

/** A side in another process, which measures itself: the microseconds that `calls` calls took together. */
export type TimedElsewhere = { timeUs(calls: number): Promise<number> };
/** Something to time. */
export type Side = (() => unknown) | TimedElsewhere;

/** A side whose call takes less gets one that does not count before each of its rounds: what lay idle has left the caches, and its memory may have been taken back. */
const WARMED_BELOW_US = 5_000_000;

/** Keeps results alive, so that no call is optimised away. */
let kept: unknown;

/**
 * Times sides against each other: after a warm-up, rounds of all sides take turns (in reversed order every second time), so that a
 * slow spell of the machine meets each alike. A side may return a promise; it is awaited.
 *
 * @returns microseconds of one call of each side: the lower quartile of its rounds, since the pauses of a shared machine only ever add
 */
export async function measure(sides: readonly Side[], options: MeasureOptions = {}): Promise<number[]> {
  const { rounds = 201, roundMs = 1 } = options;
  const plans: { side: Side; calls: number; isWarmed: boolean; timesUs: number[] }[] = [];
  for (const side of sides) {
    const isWarmed = (await timeUs(side, 1)) < WARMED_BELOW_US;
    plans.push({ side, calls: await callsOfRound(side, roundMs), isWarmed, timesUs: [] });
  }
  for (let round = 0; round < rounds; round++) {
    for (const { side, calls, isWarmed, timesUs } of round % 2 === 0 ? plans : plans.toReversed()) {
      if (isWarmed) await timeUs(side, 1);
      timesUs.push(await timeUs(side, calls));
    }
  }
  return plans.map(({ timesUs }) => lowerQuartile(timesUs));
}

/** Doubles the calls until a round lasts long enough; the calls on the way warm the code up. */
async function callsOfRound(side: Side, roundMs: number): Promise<number> {
  for (let calls = 1; ; calls *= 2) {
    const perCallUs = await timeUs(side, calls);
    if (perCallUs * calls >= roundMs * 1000) return calls;
  }
}

async function timeUs(side: Side, calls: number): Promise<number> {
  if (typeof side !== 'function') return (await side.timeUs(calls)) / calls;
  const startMs = performance.now();
  for (let call = 0; call < calls; call++) {
    kept = side();
    if (kept instanceof Promise) kept = await kept;
  }
  return ((performance.now() - startMs) * 1000) / calls;
}

function lowerQuartile(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 2]!;
}
