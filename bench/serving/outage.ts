import type { Outcomes } from './Outcomes.ts';
import { summarize } from './summarize.ts';

/** Start of the reference time: before it, the load is opening connections. */
const SETTLE_MS = 500;
const BIN_MS = 250;
/** Bins in a row that end an outage, so that a single good bin does not. */
const GOOD_BINS = 2;
const BACK = 0.9;
/** Below this fraction of the rate the service is down. Windows that are answered without the network get 200 even then. */
const DOWN = 0.2;
const DOWN_BIN_MS = 50;
const END_MS = 1000;

/** The effect of a killed process on callers. */
export type Outage = {
  /** Longest time with less than 20 % of the earlier rate, in steps of 50 ms. */
  readonly downMs: number;
  /** Failed requests by status; 0 without an answer. */
  readonly failed: ReadonlyMap<number, number>;
  /** Time from the kill until the rate is back to 90 % of the earlier rate; Infinity if not within the load. */
  readonly backMs: number;
  /** Rate in the last second as a fraction of the rate before the kill. */
  readonly endRatio: number;
  /** Rate before the kill, requests/s. */
  readonly rate: number;
};

/** Computes the outage from a load of `endMs` with a kill at `killMs`, both from the start of the load. */
export function outageOf(outcomes: Outcomes, killMs: number, endMs: number): Outage {
  const rateBetween = (fromMs: number, toMs: number): number => summarize(outcomes, { fromMs, toMs }).rate;
  const rate = rateBetween(SETTLE_MS, killMs);
  const fractions = (binMs: number): number[] =>
    Array.from({ length: Math.floor((endMs - killMs) / binMs) }, (_, at) => {
      const fromMs = killMs + at * binMs;
      return rateBetween(fromMs, fromMs + binMs) / rate;
    });
  const bins = fractions(BIN_MS).map((fraction) => fraction >= BACK);
  const back = bins.findIndex((_, at) => at + GOOD_BINS <= bins.length && bins.slice(at, at + GOOD_BINS).every(Boolean));
  return {
    downMs: DOWN_BIN_MS * longestRun(fractions(DOWN_BIN_MS).map((fraction) => fraction < DOWN)),
    failed: failuresOf(outcomes),
    backMs: back < 0 ? Infinity : back * BIN_MS,
    endRatio: rateBetween(endMs - END_MS, endMs) / rate,
    rate,
  };
}

function longestRun(flags: readonly boolean[]): number {
  let [longest, run] = [0, 0];
  for (const flag of flags) longest = Math.max(longest, (run = flag ? run + 1 : 0));
  return longest;
}

function failuresOf({ status }: Outcomes): Map<number, number> {
  const failed = new Map<number, number>();
  for (const code of status) if (code !== 200) failed.set(code, (failed.get(code) ?? 0) + 1);
  return failed;
}
