export type MeasureOptions = {
  /** Interleaved rounds of each side; the lower quartile is the result. Default 201. */
  readonly rounds?: number;
  /** A round repeats its side until it takes about this long. Default 1: shorter than the pauses of a shared machine. */
  readonly roundMs?: number;
};

/** A function to time. */
type Side = () => unknown;

/**
 * A side with shorter calls gets an uncounted call before each of its rounds: while idle, its data may have left the caches or its memory
 * may have been reclaimed.
 */
const WARMED_BELOW_US = 5_000_000;

/** Keeps results alive, so that V8 cannot remove calls. */
let kept: unknown;

/**
 * Compares the times of several sides: after a warm-up, rounds of all sides are interleaved (in reversed order every second time), so that
 * a slow phase of the machine affects all alike. A promise of a side is awaited.
 *
 * @returns microseconds per call of each side: the lower quartile of its rounds, because the pauses of a shared machine only add time
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

/** Doubles the calls until a round lasts long enough; these calls also warm up the code. */
async function callsOfRound(side: Side, roundMs: number): Promise<number> {
  for (let calls = 1; ; calls *= 2) {
    const perCallUs = await timeUs(side, calls);
    if (perCallUs * calls >= roundMs * 1000) return calls;
  }
}

async function timeUs(side: Side, calls: number): Promise<number> {
  const startMs = performance.now();
  for (let call = 0; call < calls; call++) {
    kept = side();
    if (kept instanceof Promise) kept = await kept;
  }
  return ((performance.now() - startMs) * 1000) / calls;
}

function lowerQuartile(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 2];
}
