import { BPS_PER_UNIT, MS_PER_SECOND, US_PER_MS } from '../../src/core/units.ts';
import { isOpportunity, type RowSet } from '../data/RowSet.ts';
import type { TickSource } from '../data/TickSource.ts';
import type { ModelProcess } from './ModelProcess.ts';

/** Most ticks of a line: about 150 kB. */
const MOST_TICKS = 5000;
const THRESHOLD_DIGITS = 9;

/** What a model is asked and told of a row. */
type Question = { readonly id: number; readonly originMs: number; readonly horizonMs: number };

const questionOf = (rows: RowSet, row: number): Question => ({
  id: row,
  originMs: Math.floor(rows.originUs[row] / US_PER_MS),
  horizonMs: Math.round(rows.horizonS[row] * MS_PER_SECOND),
});

/** The threshold as it is written. */
export const thresholdBps = (rows: RowSet, row: number): number =>
  Number((rows.thetaDefault[row] * BPS_PER_UNIT).toPrecision(THRESHOLD_DIGITS));

/** The rows of an instrument in order of time. */
export function rowsInTime(rows: RowSet, instrument: number): number[] {
  return Array.from({ length: rows.count }, (_, row) => row)
    .filter((row) => rows.instrument[row] === instrument)
    .sort((a, b) => rows.originUs[a] - rows.originUs[b] || rows.horizonS[a] - rows.horizonS[b]);
}

/**
 * Asks a model for `asked`, the rows of one series in order of time. It is sent every tick of the series once, those up to an origin before its window,
 * and the outcomes that are known at the origin: as much as the memory of a series knows.
 *
 * @param shiftUs added to each timestamp
 * @param onAnswer with the milliseconds from the window to its answer
 */
export async function askSeries(
  model: Pick<ModelProcess, 'ask' | 'tell'>,
  source: Pick<TickSource, 'name' | 'segments'>,
  rows: RowSet,
  asked: readonly number[],
  { shiftUs = 0, onAnswer }: { readonly shiftUs?: number; readonly onAnswer: (row: number, probability: number) => void },
): Promise<void> {
  let next = 0;
  let open: Question[] = [];
  const isAsked = (beforeUs: number): boolean => next < asked.length && rows.originUs[asked[next]] < beforeUs;
  for (const { series, from, to } of source.segments()) {
    const { timesUs, prices } = series;
    let sent = from;
    function* ticks(until: number): Generator<string> {
      while (sent < until) {
        const end = Math.min(until, sent + MOST_TICKS);
        const times = Array.from(timesUs.subarray(sent, end), (us) => us + shiftUs);
        yield `"times_us":[${times.join()}],"prices":[${prices.subarray(sent, end).join()}]`;
        sent = end;
      }
    }
    const ask = async (until: number): Promise<void> => {
      const question = questionOf(rows, asked[next++]);
      const { id, originMs, horizonMs } = question;
      const due = open.filter((one) => one.originMs + one.horizonMs <= originMs);
      open = [...open.filter((one) => !due.includes(one)), question];
      const line = {
        ...{
          series: source.name,
          id,
          time_us: originMs * US_PER_MS + shiftUs,
          horizon_ms: horizonMs,
          threshold_bps: thresholdBps(rows, id),
        },
        outcomes: due.map((one) => ({ id: one.id, moved: isOpportunity(rows, one.id) === 1, move_bps: rows.move[one.id] * BPS_PER_UNIT })),
      };
      await tellTicks(until);
      onAnswer(id, await model.ask([JSON.stringify(line)], id));
    };
    const tellTicks = (until: number): Promise<void> => model.tell(lines(source.name, ticks(until)));
    for (let i = from; i < to && next < asked.length; i++) {
      // An origin is the last tick of its millisecond.
      const us = Math.floor(timesUs[i] / US_PER_MS) * US_PER_MS;
      while (isAsked(us)) await ask(i);
    }
    while (isAsked(timesUs[to - 1] + 1)) await ask(to);
    if (next === asked.length) return;
    await tellTicks(to);
  }
}

function* lines(series: string, parts: Iterable<string>): Generator<string> {
  for (const part of parts) yield `{"series":${JSON.stringify(series)},${part}}`;
}
