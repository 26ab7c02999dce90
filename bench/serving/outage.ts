import type { Outcomes } from './Outcomes.ts';
import { summarize } from './summarize.ts';

/** Before this the load is still opening its connections. */
const SETTLE_MS = 500;
const BIN_MS = 250;
/** Two bins in a row, so that one lucky bin does not end the outage. */
const GOOD_BINS = 2;
const BACK = 0.9;
/** With less than this the service is down. A window that is refused before the network is asked gets its 200 even then. */
const DOWN = 0.2;
const DOWN_BIN_MS = 50;
const END_MS = 1000;

/** What callers saw of a process that was killed. */
export type Outage = {
  /** Longest time with less than 20 % of the rate before, in steps of 50 ms. */
  readonly downMs: number;
  /** Requests without a 200 by their status; 0: no answer. */
  readonly failed: ReadonlyMap<number, number>;
  /** From the kill until the rate is back to 90 % of that before; Infinity: not within the load. */
  readonly backMs: number;
  /** Rate in the last second as a fraction of that before the kill. */
  readonly endRatio: number;
  /** Before the kill, requests/s. */
  readonly rate: number;
};

/** Reads it from a load of `endMs` during which a process was killed at `killMs`, both from the start of the load. */
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
